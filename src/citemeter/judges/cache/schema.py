"""The tables of a cache of verdicts, and what is asked of them."""

from __future__ import annotations

__all__ = ["APPLICATION", "COUNT", "EXPORT", "FIND", "KEEP", "SCHEMA", "STATS", "USE", "VERSION"]

APPLICATION = 0x63_6D_74_72  # "cmtr"
VERSION = 1

# Ids are used within one statement only and judges found by their key each time: another process
# may have cleared a judge meanwhile, and its id be another's.
SCHEMA = (
    """CREATE TABLE judges (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        first_used REAL NOT NULL,
        last_used REAL NOT NULL
    )""",
    """CREATE TABLE texts (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        compressed INTEGER NOT NULL,
        body BLOB NOT NULL
    )""",
    """CREATE TABLE verdicts (
        id INTEGER PRIMARY KEY,
        judge INTEGER NOT NULL REFERENCES judges(id),
        pair BLOB NOT NULL,
        premise INTEGER NOT NULL REFERENCES texts(id),
        hypothesis INTEGER NOT NULL REFERENCES texts(id),
        passages TEXT,
        supported INTEGER NOT NULL,
        score REAL,
        label,
        reason,
        long_premise TEXT,
        threshold REAL,
        UNIQUE (judge, pair)
    )""",
)
FIND = (
    "SELECT pair, supported, score, label, reason, long_premise, threshold FROM verdicts "
    "WHERE judge = (SELECT id FROM judges WHERE key = ?) AND pair IN ({})"
)
KEEP = """
    INSERT INTO verdicts (judge, pair, premise, hypothesis, passages, supported, score, label,
        reason, long_premise, threshold)
    VALUES ((SELECT id FROM judges WHERE key = ?), ?, (SELECT id FROM texts WHERE digest = ?),
        (SELECT id FROM texts WHERE digest = ?), ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (judge, pair) DO UPDATE SET supported = excluded.supported,
        score = excluded.score, label = excluded.label, reason = excluded.reason,
        long_premise = excluded.long_premise, threshold = excluded.threshold
"""
USE = """
    INSERT INTO judges (key, first_used, last_used) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET last_used = max(last_used, excluded.last_used)
"""
EXPORT = """
    SELECT v.id, j.key, p.compressed, p.body, h.compressed, h.body, v.passages, v.supported,
        v.score, v.label, v.reason, v.long_premise, v.threshold
    FROM verdicts v JOIN judges j ON j.id = v.judge JOIN texts p ON p.id = v.premise
        JOIN texts h ON h.id = v.hypothesis
    WHERE v.id > ? AND (?2 IS NULL OR j.key = ?2) ORDER BY v.id LIMIT ?
"""
COUNT = """
    SELECT count(*) FROM verdicts
    WHERE ?1 IS NULL OR judge = (SELECT id FROM judges WHERE key = ?1)
"""
STATS = """
    SELECT j.key, count(v.id), coalesce(sum(v.supported), 0), j.first_used, j.last_used,
        (SELECT coalesce(sum(length(t.body)), 0) FROM texts t WHERE t.id IN
            (SELECT premise FROM verdicts WHERE judge = j.id
             UNION SELECT hypothesis FROM verdicts WHERE judge = j.id))
    FROM judges j LEFT JOIN verdicts v ON v.judge = j.id GROUP BY j.id ORDER BY j.id
"""
