r"""Whether a cited text holds a claim's words: by substring, else by the share of its tokens.

This asks no model. It sees that other words are used, that a number or a name is missing; it does
not see a negation, or who did what to whom. For those, give a judge.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Literal, NamedTuple

from citemeter.errors import InputError
from citemeter.judges.lexical.memory import Remembered
from citemeter.judges.lexical.terms import HANGUL, UNSPACED, WORD, pairs_of, term_of
from citemeter.models import Model
from citemeter.text.quotations.folding import OPTIONAL_HYPHEN, SOLID_SCRIPTS, fold_text, is_word

__all__ = ["MIN_SHARE", "TextSupport", "check_min_share", "holds_phrase", "text_support"]

MIN_SHARE = 0.6
"""The share of a claim's tokens that the cited text must hold, by default."""

_SOLID = SOLID_SCRIPTS + HANGUL
_TOKEN = re.compile(rf"(?P<number>\d+(?:[.,]\d+)*)|(?P<word>{WORD})")
_IN_SOLID = re.compile(f"[{_SOLID}]")
_SOLID_GAP = re.compile(f"(?<=[{_SOLID}]) +(?=[{_SOLID}])")
_HANGUL_CHARACTER = re.compile(f"[{HANGUL}]")
_UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")
# A line break inside a run of Chinese or Japanese is no word boundary; in Korean it is.
_UNSPACED_GAP = re.compile(rf"(?<=[{UNSPACED}])\s+(?=[{UNSPACED}])")
_PHRASE_GAP = re.compile(r"\s+")
_GRAMMAR = re.compile("[\u3041-\u3096]+")  # hiragana only: endings and particles
_INVISIBLE = dict.fromkeys([0xAD, 0x2060, 0xFEFF, *range(0x200B, 0x2010), *range(0xFE00, 0xFE10)])
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_MOST_WORK = 20_000_000


class TextSupport(Model):
    """Whether a text holds a claim's words.

    Args:
        supported: What it comes to.
        how: ``substring`` if the claim stands in the text as it is, otherwise ``tokens``.
        share: The share of the claim's tokens that the text holds, in [0, 1]; 1 for a substring.
        missing: The tokens it lacks, in order.
        required_missing: Those of them that no share makes up for: numbers, codes, single letters.
    """

    supported: bool
    how: Literal["substring", "tokens"]
    share: float
    missing: tuple[str, ...] = ()
    required_missing: tuple[str, ...] = ()


class _Token(NamedTuple):
    kind: str  # term, number, hangul or pair
    form: str  # what is compared
    shown: str
    required: bool
    grammar: bool  # left out while there are other tokens


class _Held(NamedTuple):
    forms: frozenset[tuple[str, str]]
    hangul: str  # the Hangul words, spaced


def check_min_share(value: float) -> None:
    """Refuse a threshold that is no share.

    Raises:
        InputError: If it is not in (0, 1].
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
        raise InputError(f"min_share is {value!r}.", fix="give a number above 0 and at most 1.")


def text_support(claim: str, text: str, min_share: float = MIN_SHARE) -> TextSupport:
    r"""Say whether ``text`` holds the words of ``claim``.

    It does if the claim, folded and without its final stop, is a substring of the text at word
    boundaries; or else if every number, code (``A1``) and single capital letter of the claim is a
    token of the text, and

    .. math:: \frac{|T_{claim} \cap T_{text}|}{|T_{claim}|} \ge \text{min\_share}

    over the claim's distinct tokens :math:`T`:

    - words of spaced scripts, without stop words, by stem (``located`` and ``location`` are one);
    - numbers by value (``1,000`` is ``1000``, ``2.50`` is ``2.5``; ``25`` is not in ``125``);
    - Hangul words of two or more syllables: held if the first half, at least two syllables, stands
      in a Hangul word of the text, since particles and endings come last;
    - pairs of neighbouring characters of other unspaced scripts (Chinese, Japanese, Thai), without
      pairs of hiragana.

    Case, width, accents and white space do not count.

    Args:
        claim: The claim.
        text: The cited text.
        min_share: The bar, in (0, 1].

    Returns:
        The decision with the share and what is missing. A claim without any token is held only as
        a substring, and its share is 0.

    Raises:
        InputError: If ``min_share`` is no share.

    >>> text_support("The museum opened in 1904.", "Opened in 1904, the museum is free.").supported
    True
    >>> text_support("The museum opened in 1905.", "Opened in 1904, the museum is free.").missing
    ('1905',)
    >>> text_support("기관 A는 로그를 보관한다.", "로그 보관: 기관 A").share
    1.0
    """
    check_min_share(min_share)
    if holds_phrase(claim, text):
        return TextSupport(supported=True, how="substring", share=1.0)
    distinct = list(dict.fromkeys(_tokens(claim)))
    wanted = [token for token in distinct if not token.grammar] or distinct
    have = _forms(text)
    missing = [token for token in wanted if not _is_held(token, have)]
    required = tuple(token.shown for token in missing if token.required)
    share = (len(wanted) - len(missing)) / len(wanted) if wanted else 0.0
    return TextSupport(
        supported=bool(wanted) and not required and share >= min_share,
        how="tokens",
        share=share,
        missing=tuple(token.shown for token in missing),
        required_missing=required,
    )


def holds_phrase(phrase: str, text: str) -> bool:
    """Say whether a text holds a phrase: folded, as whole words, spaces of no account in CJK.

    The phrase's first and last characters must not go on into a longer word or number. Where words
    are not set apart by spaces they may; a Hangul word may go on to the right only (particles), and
    so may a change of script.

    Args:
        phrase: What is looked for; a final full stop is left out. Blank is never held.
        text: Where.

    >>> holds_phrase("기관 A", "기관 A는 로그를 보관한다"), holds_phrase("기관 A", "기관 A1은")
    (True, False)
    >>> holds_phrase("보안 통제", "보안통제를 둔다"), holds_phrase("25 days", "125 days")
    (True, False)
    """
    wanted = _folded(phrase).strip(" .。．｡!?！？…'")
    if not any(map(str.isalnum, wanted)):
        return False
    where = _folded(text)
    return _stands(wanted, where) or (
        _IN_SOLID.search(wanted) is not None and _stands(_solid(wanted), _solid(where))
    )


def _stands(wanted: str, where: str) -> bool:
    start = where.find(wanted)
    tries = 1 + _MOST_WORK // len(wanted)  # a long phrase stands in few places, but for attacks
    while start >= 0 and tries:
        tries -= 1
        end = start + len(wanted)
        before = where[start - 1] if start else ""
        if not _goes_on(before, wanted[0], left=True, run=where[max(0, start - 4) : start]):
            after = where[end : end + 3]
            if not _goes_on(wanted[-1], after[:1], left=False, run=after):
                return True
        start = where.find(wanted, start + 1)
    return False


def _goes_on(first: str, second: str, *, left: bool, run: str) -> bool:
    """Whether a word runs on over the place between two characters."""
    if not first or not second:
        return False
    inside, outside = (second, first) if left else (first, second)
    if inside.isdigit() and outside in ".,":
        # "25" goes on in "25.5" and in "1,025", not at the end of a sentence or list.
        digit = run[-2:-1] if left else run[1:2]
        return digit.isdigit()
    if not is_word(inside) or not is_word(outside):
        return False
    solid_inside, solid_outside = _IN_SOLID.match(inside), _IN_SOLID.match(outside)
    if solid_inside and solid_outside:
        # A compound that begins earlier is another name; particles at the right are not.
        both = _HANGUL_CHARACTER.match(inside) and _HANGUL_CHARACTER.match(outside)
        return bool(left and both)
    if solid_inside or solid_outside:
        return False
    if inside.isdigit() and not outside.isdigit():
        return left  # "10kg" holds 10; "A1" does not hold 1
    return True


def _folded(text: str) -> str:
    return _PHRASE_GAP.sub(" ", fold_text(text).text.replace(OPTIONAL_HYPHEN, "")).strip()


def _solid(folded: str) -> str:
    """Return folded text without the spaces between characters of unspaced scripts."""
    return _SOLID_GAP.sub("", folded)


def _is_held(token: _Token, have: _Held) -> bool:
    if token.kind == "hangul":
        return token.form in have.hangul
    return (token.kind, token.form) in have.forms


def _plain(text: str) -> str:
    plain = unicodedata.normalize("NFKC", html.unescape(text)).translate(_INVISIBLE)
    return plain if plain.isascii() else _UNSPACED_GAP.sub("", plain)


def _tokens(text: str) -> list[_Token]:
    plain = _plain(text)
    foreign = _IN_SOLID.search(plain) is not None
    found: list[_Token] = []
    for match in _TOKEN.finditer(plain):
        word = match[0]
        if match["number"]:
            found.append(_Token("number", _value(word), word, True, False))
        elif _HANGUL_CHARACTER.match(word):
            stem = word[: max(2, (len(word) + 1) // 2)]
            found.append(_Token("hangul", stem, word, False, len(word) == 1))
        elif _UNSPACED_CHARACTER.match(word):
            found += [
                _Token("pair", pair, pair, False, _GRAMMAR.fullmatch(pair) is not None)
                for pair in pairs_of(word) or [word]
            ]
        else:
            term = term_of(word)
            # Amid Korean or Chinese, "A" is a name and "in" no preposition.
            grammar = not term and not foreign
            code = any(map(str.isdigit, word))
            letter = (
                len(word) == 1 and word.isupper() and plain[match.end() : match.end() + 1] != "."
            )
            required = (code or letter) and not grammar
            found.append(_Token("term", term or word.casefold(), word, required, grammar))
    return found


def _value(number: str) -> str:
    digits = "".join(c if c in ".," else str(unicodedata.digit(c, 0)) for c in number)
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    if digits.count(".") <= 1 and "," not in digits:
        whole, _, part = digits.partition(".")
        part = part.rstrip("0")
        digits = (whole.lstrip("0") or "0") + (f".{part}" if part else "")
    return digits


def _forms_of(text: str) -> _Held:
    tokens = _tokens(text)
    forms = {(token.kind, token.form) for token in tokens}
    # A claim's lone character may stand anywhere in a run.
    forms |= {(kind, character) for kind, form in forms if kind == "pair" for character in form}
    return _Held(
        forms=frozenset(forms),
        hangul=" ".join(token.shown for token in tokens if token.kind == "hangul"),
    )


_forms = Remembered(_forms_of, 128)  # several claims cite one text
