"""The blocks of real answers, as citemeter cuts them and as CommonMark does (markdown-it-py).

    python benchmarks/markdown_blocks.py answers/*.jsonl    # files of records with ``answer``
    python benchmarks/markdown_blocks.py --differences answers/*.jsonl

CommonMark is markdown-it-py's, with tables; reasoning and lists of sources, which it does not know,
are taken out beforehand by citemeter's rules, so that only the cutting differs. Sentences are
those of the default segmenter in either's blocks. Times are the best of three rounds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from markdown_it import MarkdownIt

from citemeter.text.markdown.blocks import Block, split_blocks
from citemeter.text.sentences.citemeter_segmenter import sentence_spans

EXAMPLES = Path(__file__).parents[1] / "examples" / "hagrid.jsonl"
_PARSER = MarkdownIt("commonmark").enable("table")
_PARSER.core.ruler.enableOnly(["normalize", "block"])
_WITHOUT_TEXT = ("reasoning", "reference_list")

Split = Callable[[str], list[Block]]


def commonmark_blocks(text: str) -> list[Block]:
    """Cut an answer into blocks as CommonMark does, with the offsets of the answer."""
    found = [block for block in split_blocks(text) if block.kind in _WITHOUT_TEXT]
    for block in found:
        hidden = "".join(c if c in "\r\n" else " " for c in text[block.start : block.end])
        text = text[: block.start] + hidden + text[block.end :]
    lines: list[tuple[int, int]] = []
    position = 0
    for line in text.replace("\r\n", " \n").replace("\r", "\n").split("\n"):
        lines.append((position, position + len(line)))
        position += len(line) + 1
    inside: list[str] = []
    for token in _PARSER.parse(text.replace("\0", " ").replace("\r\n", " \n").replace("\r", "\n")):
        if token.type.endswith("_open"):
            inside.append(token.type.removesuffix("_open"))
        if token.map:
            first, last = token.map[0], token.map[1] - 1
        if token.type in ("fence", "code_block", "html_block"):
            found.append(Block("code", lines[first][0], lines[last][1]))
        elif token.type == "heading_open":
            found.append(Block("heading", lines[first][0], lines[last][1]))
        elif token.type == "tr_open" and "thead" in inside:
            found.append(Block("table_header", lines[first][0], lines[first + 1][1]))
        elif token.type == "tr_open":
            start, end = lines[first]
            bars = [i for i in range(start, end) if text[i] == "|"]
            cells = zip([start, *(bar + 1 for bar in bars)], [*bars, end], strict=True)
            found.append(Block("table_row", start, end, cells=tuple(cells)))
        elif token.type == "inline" and not {"table", "heading"} & set(inside):
            kinds = {"blockquote": "block_quote", "list_item": "list_item"}
            kind = next((kinds[name] for name in kinds if name in inside), "sentence")
            starts = []
            for words, (start, end) in zip(token.content.split("\n"), lines[first:], strict=False):
                starts.append(start + max(text[start:end].rfind(words.strip()), 0))
            cuts = [
                (line[0], start)
                for line, start in zip(lines[first + 1 :], starts[1:], strict=False)
                if ">" in text[line[0] : start]
            ]
            found.append(Block(kind, starts[0], lines[last][1], cuts))
        if token.type.endswith("_close"):
            inside.pop()
    return sorted(found, key=lambda block: block.start)


def blocks_of(answer: str, split: Split) -> list[tuple[str, str]]:
    """Return the kind and the words of each block."""
    return [(b.kind, " ".join(answer[b.start : b.end].split())) for b in split(answer)]


def sentences_of(answer: str, split: Split) -> list[str]:
    """Return the sentences of the blocks that hold statements; a table row is one."""
    found: list[str] = []
    for block in split(answer):
        text = answer[block.start : block.end]
        for start, end in reversed(block.cuts):
            text = text[: start - block.start] + text[end - block.start :]
        if block.kind == "table_row":
            found.append(" | ".join(answer[a:b].strip() for a, b in block.cells))
        elif block.kind in ("sentence", "list_item", "block_quote"):
            found += [" ".join(text[a:b].split()) for a, b in sentence_spans(text)]
    return found


def milliseconds(answers: list[str], split: Split) -> float:
    """Return what cutting an answer takes, the best of three rounds."""
    rounds = []
    for _ in range(3):
        start = time.process_time()
        for answer in answers:
            split(answer)
        rounds.append(time.process_time() - start)
    return 1000 * min(rounds) / max(len(answers), 1)


def main() -> None:
    """Print how many answers agree, and what either takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--differences", action="store_true", help="print the sentences")
    parser.add_argument("--smoke", action="store_true", help="a few answers of the example")
    arguments = parser.parse_args()
    print(f"markdown-it-py {version('markdown-it-py')}")
    total: Counter[str] = Counter()
    everything: list[str] = []
    for path in arguments.files or [EXAMPLES]:
        with path.open(encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        answers = [record["answer"] for record in records if record.get("answer")]
        answers = answers[: 20 if arguments.smoke else None]
        everything += answers
        counts: Counter[str] = Counter(answers=len(answers))
        for answer in answers:
            counts["several lines"] += "\n" in answer.strip()
            counts["same blocks"] += blocks_of(answer, split_blocks) == blocks_of(
                answer, commonmark_blocks
            )
            ours = sentences_of(answer, split_blocks)
            theirs = sentences_of(answer, commonmark_blocks)
            counts["same sentences"] += ours == theirs
            if arguments.differences and ours != theirs:
                print(*[f"- {words}" for words in ours if words not in theirs], sep="\n")
                print(*[f"+ {words}" for words in theirs if words not in ours], sep="\n")
        print(path.name, dict(counts))
        total += counts
    print("total", dict(total))
    several = [answer for answer in everything if "\n" in answer.strip()]
    for name, split in (("citemeter", split_blocks), ("markdown-it-py", commonmark_blocks)):
        print(f"{name}: {milliseconds(several, split):.2f} ms for an answer of several lines")


if __name__ == "__main__":
    main()
