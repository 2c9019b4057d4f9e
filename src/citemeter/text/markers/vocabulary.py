"""The words of markers: labels before an id, locators after it, names that make ``x[0]`` code."""

from __future__ import annotations

import re

# A strong label makes whatever follows its colon a citation, known or not.
_STRONG = (
    r"sources?|src|srcs|cites?(?:/\w{1,12})?|cited|citations?|refs?|references?|docs?|documents?|ids?"
    r"|chunks?|passages?|contexts?|snippets?|oaicite|oai_citation|quellen?|quelle|fuentes?|fontes?"
    r"|fonti?|bron(?:nen)?|źródł[oa]|источники?|kaynak(?:lar)?|sumber|资料来源|資料來源|来源|來源|引用|出典|出所"
    r"|参考文献|參考文獻|参考资料|參考資料|参考|參考|参照|출처|참고(?:문헌|자료)?|참조|المصادر|المصدر|مصدر|منبع|المرجع|مرجع"
    r"|מקורות|מקור|स्रोत|dokumente?|documentos?|documenti?|документы?|文档|文檔|文件|文献|資料|资料|문서"
    r"|kilde[rn]?|källor|källan?|lähteet|lähde|zdroje?|nguồn|forrás(?:ok)?|surs[aă]|πηγ(?:ή|ές)|джерел[оа]"
    r"|izvori?|référ?ences?|réfs?|referencias?|referências?|referenz(?:en)?|riferiment[oi]|referenties?"
    r"|belege?|beleg|ссылк[аи]"
)
# A weak label is one only before a known id or, in square brackets, a number.
_WEAK = (
    r"web[ _-]?pages?|web|search[ _-]?results?|results?|articles?|papers?|evidences?|footnotes?|fn"
    r"|notes?|files?|items?|entry|entries|records?|nodes?|texts?|facts?|hits?|urls?|links?|keys?"
    r"|numbers?|num|nr|no|n°|№|studies|study|abstracts?|网页|網頁|搜索结果|结果|webseite|ergebnis"
    r"|section_id|index|idx"
)
_END = r"(?=$|[^\w]|[\d_])"

LABEL = re.compile(rf"(?:{_STRONG}|{_WEAK}){_END}[\s.:#=_＝：\-–№\"']*", re.IGNORECASE)
STRONG_LABEL = re.compile(rf"(?:{_STRONG})(?:[_ ]?ids?)?\s*[:=：]\s*(?=\S)", re.IGNORECASE)
PAREN_LABEL = re.compile(
    rf"(?:(?:{_STRONG}){_END}|web[ _]?page|webpage|search result|网页)[\s.:#=_：-]*", re.IGNORECASE
)
INTRODUCTION = re.compile(rf"(?:{_STRONG})(?: for this \w+)?\s?[:：]?\s*", re.IGNORECASE)

# Words before an id that add nothing: "see [2]", "cf. 3".
VAGUE_WORDS = re.compile(
    r"(?:(?:see also|see,? e\.g\.,?|see,? for example,?|see|cfr?\.?|e\.g\.,?|i\.e\.,?|as in"
    r"|as per|per|from|according to|adapted from|but see|see instead|siehe auch|siehe"
    r"|vgl\.?(?: auch)?|z\.\s?b\.|voir(?: aussi)?|par ex\.|véase|ver|p\.\s?ej\.|vedi"
    r"|zie(?: ook)?|bijv\.|см\.(?: также)?|ср\.|zob\.|por\.|also|based on|via|compare"
    r"|for example,?|for instance,?)[\s:]+|(?:参见|參見|见|見|详见|参考(?=文|资|来))[\s:：]*)",
    re.IGNORECASE,
)

AND = "and|und|et|y|or"
"""What joins markers, and ids in one marker: words alone."""

YEAR = r"(?:(?:1[5-9]|20)\d\d[a-z]?|n\.d\.|in press|forthcoming)"

_NUMERAL = r"[\divxlcIVXLC]"
_PLACE = (
    r"(?:pp?|pgs?|pages?|seiten?|s|págs?|pp|página|páginas|paginas?|pag|blz|стр|с|str"
    r"|ch|chap|chapters?|kap|kapitel|cap|sec|sect|sections?|abschnitt|abs|art|para|paras|paragraphs?"
    r"|figs?|figures?|abb|tab|tables?|tabelle|eqs?|equations?|lines?|ll?|zeilen?|cols?|columns?"
    r"|vol|volumes?|bd|slides?|folie|app|appendix|appendices|suppl|thm|theorem|lemma|fn|rn|rows?"
    r"|sheets?|verses?|vv?|entry|note|min|bl|footnotes?|parts?|teil|clauses?|rule|box|at|loc)"
)
_RANGE_TAIL = rf"{_NUMERAL}[\w.:()–—\-,/& ]*"
LOCATOR = re.compile(
    rf"(?:(?:on|at|auf|see)\s+)?(?:{_PLACE}\b\.?\s*[:=]?\s*(?:no\.?\s*)?{_RANGE_TAIL}"
    rf"|(?:§§?|¶¶?|#)\s*[\w.\-–]+|第?\s*\d+\s*[页頁章节節条條行]"
    r"|L\d+(?:[-–]L?\d+)?|passim|ibid\.?|ff?\.|et seq\.?|emphasis added|ebd\.?)",
    re.IGNORECASE,
)
PLURAL_LOCATOR = re.compile(r"(?:pp|pgs|pages|seiten|lines|figs|tables|sections|ll)\b", re.I)
LOCATOR_TAIL = re.compile(
    rf"[\s,(]+(?:(?:on|at|auf)\s+)?(?:{_PLACE}\b\.?\s*[:=]?\s*{_RANGE_TAIL}|(?:§§?|¶¶?)\s*[\w.\-–]+"
    r"|L\d+(?:[-–]L?\d+)?|第?\s*\d+\s*[页頁章节節条條行])\)?$",
    re.IGNORECASE,
)

MATHS_WORDS = re.compile(
    r"intervals?|ranges?|domain|vectors?|arrays?|tuple|matrix|bounds|segment|intervall|bereich"
    r"|intervalle|intervalo|intervallo|between|within|coordinates|tensor|区间|区間"
    r"|[∈=≤<>+×·*/≈≥⊂⊆→]|:=|==|!="
)

# Identifiers after which a glued "[0]" indexes; the second set are words of prose as well.
CODE_NAMES = re.compile(
    r"arr[12]?|argv|args|argc|kwargs|params|ary|lst|idx|vec|nums|buf|ptr|tmp|df|dict|str|char|foo"
    r"|baz|xs|ys|mat|tup|stdin|stdout|sys|np|elems?|int|bool|byte|uint8|std|tbl"
)
INDEXED_WORDS = re.compile(
    r"self|cells?|bar|var|array|list|items?|data|values?|results|elements?|matrix|vector|tuple"
    r"|string|table|rows?|cols|columns?|keys|words|tokens|names|users|entries|nodes|children"
    r"|points|files|lines|numbers|input|output|queue|stack|buffer|map|records?"
)
