"""Words that deny, in many languages, in the text that an ellipsis leaves out."""

from __future__ import annotations

import re

from citemeter.text.sentences.boundaries import PLAIN_END

_WORDS = (
    # English
    "not|no|never|neither|nor|none|nobody|nothing|nowhere|without|cannot|hardly|scarcely|"
    "[a-z]+n't|dont|doesnt|"
    # German, Dutch
    "nicht|kein|keine|keinen|keinem|keiner|keines|nie|niemals|ohne|weder|nichts|niemand|"
    "niet|geen|nooit|zonder|niets|"
    # French, Spanish, Portuguese, Italian, Catalan, Romanian
    "ne|pas|non|jamais|aucun|aucune|sans|rien|ni|nunca|jamás|sin|ningún|ninguna|ninguno|"
    "tampoco|nadie|nada|não|nao|sem|nenhum|nenhuma|nem|ninguém|mai|senza|nessun|nessuno|"
    "nessuna|né|niente|nulla|sense|cap|nu|niciodată|fără|n'[^\\W\\d_]+|"
    # Swedish, Danish, Norwegian, Finnish
    "inte|ej|icke|aldrig|ingen|inget|inga|utan|ikke|aldri|intet|uden|uten|ei|emme|ette|"
    "eivät|älä|ilman|"
    # Polish, Czech, Slovak, Croatian, Hungarian, Turkish
    "nigdy|bez|żaden|żadna|żadne|není|nikdy|nije|nikada|nem|nincs|soha|sem|nélkül|değil|yok|"
    # Russian, Ukrainian, Bulgarian
    "не|нет|ни|никогда|без|нельзя|никто|ничего|ні|ніколи|немає|няма|никога|"
    # Greek, Hebrew, Arabic, Persian, Hindi
    "δεν|μη|μην|χωρίς|ούτε|לא|אין|אל|בלי|ללא|لا|لم|لن|ليس|ليست|غير|بدون|دون|نه|نیست|"
    "नहीं|मत|बिना|"
    # Vietnamese, Indonesian, Malay
    "không|chưa|chẳng|đừng|tidak|bukan|jangan|tanpa"
)
_NEGATION = re.compile(
    rf"(?<!\w)(?:{_WORDS})(?!\w)"
    "|[不没沒无無未非勿莫禁]|ない|なく|なかっ|なけれ|ません|ませぬ|ざる"
    "|않|못|없|아니|안 |금지|ไม่|ห้าม"
)


def drops_negation(dropped: str) -> str | None:
    """Return the negation in what an ellipsis left out, if it bears on the words that stay.

    A whole sentence may be left out with its negations: only the rest of the sentence before the
    ellipsis and the beginning of the one after it are looked at.

    Args:
        dropped: The folded text between two parts of a quotation.

    >>> drops_negation(" not ")
    'not'
    >>> drops_negation(" before noon. Do not run. ") is None
    True
    """
    ends = [match.end() for match in PLAIN_END.finditer(dropped + " ")]
    stretches = (dropped,) if not ends else (dropped[: ends[0]], dropped[ends[-1] :])
    for stretch in stretches:
        found = _NEGATION.search(stretch)
        if found is not None:
            return found[0].strip()
    return None
