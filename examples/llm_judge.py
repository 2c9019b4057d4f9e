"""Judge with a language model behind any OpenAI-compatible endpoint.

python examples/llm_judge.py [MODEL BASE_URL]

Without arguments it asks a stand-in on this machine, so that it runs without a key and without a
model: the stand-in reads the question as a model would, and answers by comparing words.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import Any

import citemeter
from citemeter.io import read_records
from citemeter.judges.llm import LLMJudge

ANSWERS = Path(__file__).parent / "hagrid.jsonl"
_BLOCK = re.compile(r"^<<(\w+) (PASSAGE|CLAIM).*>>\n([\s\S]*?)\n<<\1 END OF .*>>$", re.M)


class StandIn(BaseHTTPRequestHandler):
    """Plays a chat endpoint; a real one is vLLM, llama.cpp, Ollama, or a service."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one chat completion."""
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        question = request["messages"][-1]["content"]
        blocks = [
            (kind, set(re.findall(r"\w+", text))) for _, kind, text in _BLOCK.findall(question)
        ]
        known = set().union(*(words for kind, words in blocks if kind == "PASSAGE"))
        missing = sorted(blocks[-1][1] - known)
        share = 1 - len(missing) / max(1, len(blocks[-1][1]))
        verdicts = {0.9: "supported", 0.5: "partially_supported", 0.0: "not_supported"}
        reason = f"not in the passages: {', '.join(missing)}" if missing else "every word is there"
        reply = {"reason": reason, "verdict": next(v for at, v in verdicts.items() if share >= at)}
        choice = {"index": 0, "finish_reason": "stop", "message": {"content": json.dumps(reply)}}
        usage = {"prompt_tokens": len(question.split()), "completion_tokens": len(reason.split())}
        data = json.dumps({"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        """Print nothing."""


@contextmanager
def stand_in() -> Iterator[tuple[str, str]]:
    """Run the stand-in and give its model's name and its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield "stand-in", f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def score(model: str, base_url: str) -> None:
    """Score a few answers, and print what was judged, why, and at what cost."""
    judge = LLMJudge(model, base_url=base_url, price_per_million=(0.15, 0.60))
    try:
        report = citemeter.score(islice(read_records([ANSWERS]), 10), judge=judge)
        print(f"citation_recall {report['citation_recall']:.3f} by {report.signature.judge}")
        for result in report.results:
            for item in result.statements:
                if item.verdict is not None and item.verdict.label == "partially_supported":
                    print(f"{result.id}: {item.verdict.label}: {item.verdict.reason}")
        print(", ".join(f"{name} {number:g}" for name, number in judge.usage().items()))
    finally:
        judge.close()


def main() -> None:
    """Score with the endpoint that was named, or with the stand-in."""
    if len(sys.argv) == 3:
        score(*sys.argv[1:])
        return
    with stand_in() as (model, base_url):
        score(model, base_url)


if __name__ == "__main__":
    main()
