"""Figures of region failures: what is in them, and that they are safe to write and to read."""

from __future__ import annotations

import importlib
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from citemeter.errors import InputError
from citemeter.grounding import (
    GroundingResult,
    RegionCheck,
    citation_grounding,
    region_figures,
    region_svg,
    write_pictures,
)
from citemeter.grounding.figure_layout import layout_of, shortened

GOLD: dict[str, Any] = {"doc_id": "d", "page_number": 1, "bbox": [10, 40, 280, 100]}
SIZE = {"d": {"width": 612, "height": 792}}
SVG = "{http://www.w3.org/2000/svg}"


def measure(
    *regions: tuple[int, list[float] | None], doc_id: str = "d", record: str = "q"
) -> GroundingResult:
    cited = [{"page_number": page, "bbox": bbox} for page, bbox in regions]
    return citation_grounding(
        {
            "id": record,
            "citations": [{"doc_id": doc_id, "regions": cited}],
            "expected_citation_regions": [{**GOLD, "doc_id": doc_id}],
        }
    )


def rectangles(svg: str) -> dict[str, list[dict[str, str]]]:
    root = ElementTree.fromstring(svg)
    found: dict[str, list[dict[str, str]]] = {"gold": [], "cited": []}
    for element in root.iter(f"{SVG}rect"):
        if element.get("class"):
            found[element.attrib["class"]].append(element.attrib)
    return found


def words(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_boxes_stand_where_they_should() -> None:
    """The page's 792 points are 800 pixels high; it starts at (20, 64)."""
    [check] = measure((1, [10, 80, 280, 160])).regions
    found = rectangles(region_svg(check, SIZE))
    scale = 800 / 792
    [gold], [cited] = found["gold"], found["cited"]
    assert float(gold["x"]) == pytest.approx(20 + 10 * scale, abs=0.01)
    assert float(gold["y"]) == pytest.approx(64 + 40 * scale, abs=0.01)
    assert float(gold["width"]) == pytest.approx(270 * scale, abs=0.01)
    assert float(gold["height"]) == pytest.approx(60 * scale, abs=0.01)
    assert float(cited["y"]) == pytest.approx(64 + 80 * scale, abs=0.01)
    assert float(cited["height"]) == pytest.approx(80 * scale, abs=0.01)


def test_the_two_kinds_differ_in_colour_and_line() -> None:
    [check] = measure((1, [10, 80, 280, 160])).regions
    found = rectangles(region_svg(check, SIZE))
    [gold], [cited] = found["gold"], found["cited"]
    assert gold["stroke"] != cited["stroke"]
    assert "stroke-dasharray" not in gold
    assert "stroke-dasharray" in cited


def test_title_labels_and_legend() -> None:
    # In common 270 by 20: 5400 / (16200 + 21600 - 5400) = 1/6.
    [check] = measure((1, [10, 80, 280, 160])).regions
    assert words(region_svg(check, SIZE)) == [
        "d, page 1: region_misaligned",
        "page 1, expected",
        "gold",
        "cited 1: IoU 0.17",
        "gold, needs IoU 0.5",
        "cited, best IoU 0.167",
    ]


def test_a_box_on_another_page_is_shown_beside_it() -> None:
    [check] = measure((2, [200, 200, 260, 260]), (3, [1, 2, 3, 4])).regions
    svg = region_svg(check, SIZE)
    assert "page 2, cited" in words(svg)
    assert "no box cited on the page expected (other page)" in words(svg)
    assert "cited on page 3: [1, 2, 3, 4]" in words(svg)
    [gold], [cited] = rectangles(svg)["gold"], rectangles(svg)["cited"]
    # Two pages of 600 pixels' height, the second 20 pixels right of the first.
    scale = 600 / 792
    assert float(cited["x"]) == pytest.approx(40 + 612 * scale + 200 * scale, abs=0.01)
    assert float(gold["x"]) == pytest.approx(20 + 10 * scale, abs=0.01)


def test_without_the_pages_size_it_says_so() -> None:
    [check] = measure((1, [10, 80, 280, 160])).regions
    svg = region_svg(check)
    assert "dotted: the page's size is not known, its edge not shown" in words(svg)
    for box in (*rectangles(svg)["gold"], *rectangles(svg)["cited"]):
        assert float(box["x"]) + float(box["width"]) <= 820


def test_boxes_left_of_or_above_the_origin_are_inside_the_picture() -> None:
    [check] = measure((1, [-300, -200, 280, 90])).regions
    [cited] = rectangles(region_svg(check))["cited"]
    assert (float(cited["x"]), float(cited["y"])) == (20, 64)


def test_no_box_at_all() -> None:
    [check] = measure((1, None)).regions
    found = rectangles(region_svg(check, SIZE))
    assert (len(found["gold"]), len(found["cited"])) == (1, 0)


def test_labels_do_not_cover_each_other() -> None:
    boxes: list[tuple[int, list[float] | None]] = [(1, [10, 300, 60, 320])] * 6
    svg = region_svg(measure(*boxes).regions[0], SIZE)
    root = ElementTree.fromstring(svg)
    spots = [
        (float(e.attrib["x"]), float(e.attrib["y"]))
        for e in root.iter(f"{SVG}text")
        if (e.text or "").startswith("cited ")
    ]
    assert len(set(spots)) == 6


def test_many_boxes_are_counted_not_drawn() -> None:
    boxes: list[tuple[int, list[float] | None]] = [(1, [300, 300, 320, 320 + n]) for n in range(50)]
    svg = region_svg(measure(*boxes).regions[0], SIZE)
    assert len(rectangles(svg)["cited"]) == 20
    assert "30 more cited boxes are not drawn" in words(svg)


HOSTILE = ['<script>alert("x")</script>', "a & b", "기관 <A>", "\x00\x1b[31m\ufffe", "x" * 5000]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_escaped_and_shortened(name: str) -> None:
    [check] = measure((1, None), doc_id=name, record=name).regions
    svg = region_svg(check)
    assert "<script" not in svg
    assert len(svg) < 5000
    ElementTree.fromstring(svg)  # well formed


@pytest.mark.parametrize(
    ("page", "bbox"),
    [
        ({"width": 1, "height": 1e6}, [0, 0, 1, 10]),
        ({"width": 1e6, "height": 1}, [0, 0, 10, 1]),
        ({}, [0, 0, 1e-3, 2]),
        ({}, [-500, -500, -400, -450]),
        ({}, [1e8, 1e8, 1e9, 1e9]),
        ({"width": 10, "height": 10}, [-1e8, -1e8, 1e8, 1e8]),
    ],
)
def test_strange_pages_and_boxes_can_be_drawn(page: Any, bbox: list[float]) -> None:
    record = {
        "citations": [{"doc_id": "d", "regions": [{"page_number": 1, "bbox": None}]}],
        "expected_citation_regions": [{"doc_id": "d", "page_number": 1, "bbox": bbox}],
    }
    pages: Any = {"d": page} if page else {}
    [check] = citation_grounding(record, pages=pages).regions
    svg = region_svg(check, pages)
    root = ElementTree.fromstring(svg)
    assert "nan" not in svg
    assert "inf" not in svg
    assert 100 < float(root.attrib["width"]) < 2000
    assert 100 < float(root.attrib["height"]) < 2000


def test_only_failures_are_drawn_and_always_alike() -> None:
    results = [measure((1, [10, 40, 280, 100])), measure((1, [10, 80, 280, 160]))]
    first, second = list(region_figures(results, SIZE)), list(region_figures(results, SIZE))
    assert first == second
    [picture] = first
    assert picture.media_type == "image/svg+xml"
    assert picture.record == "q"
    assert isinstance(picture.check, RegionCheck)


@pytest.mark.parametrize("name", [*HOSTILE, "../../etc/passwd", "CON", "a/b\\c:d", "...", ""])
def test_files_stay_in_their_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "pictures"
    [path] = write_pictures([measure((1, None), doc_id=name, record=name)], folder)
    assert path.parent == folder
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == [path.name]
    assert len(path.name) < 120
    assert not path.name.startswith((".", "-"))


def test_two_records_of_one_name_have_two_files(tmp_path: Path) -> None:
    results = [measure((1, None)), measure((1, None))]
    assert len({path.name for path in write_pictures(results, tmp_path)}) == 2


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(InputError, match="cannot write"):
        write_pictures([measure((1, None))], tmp_path / "taken")


def test_long_names_keep_both_ends() -> None:
    assert shortened("a" * 50 + "b" * 50, 11) == "aaaaa…bbbbb"
    assert shortened("a  b\nc") == "a b c"


def test_the_layout_of_a_hit() -> None:
    layout = layout_of(measure((1, [10, 40, 280, 100])).regions[0], {})
    assert layout.title == "d, page 1: hit"
    assert dict(layout.legend)["cited"] == "cited, best IoU 1.000"


def test_without_pillow_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def absent(name: str, package: str | None = None) -> Any:
        if name.startswith("PIL"):
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr("citemeter.grounding.page_images.import_module", absent)
    pages = {"d": {"image": "page.png"}}
    with pytest.raises(ImportError, match=r"pip install 'citemeter\[images\]'"):
        list(region_figures([measure((1, None))], pages))  # type: ignore[arg-type]


class TestOverAnImage:
    """Needs Pillow."""

    @pytest.fixture
    def page(self, tmp_path: Path) -> Path:
        image = pytest.importorskip("PIL.Image")
        path = tmp_path / "page.png"
        image.new("RGB", (612, 792), (255, 255, 255)).save(path)
        return path

    def draw(self, result: GroundingResult, pages: Any) -> Any:
        from PIL import Image

        [picture] = region_figures([result], pages)
        assert picture.media_type == "image/png"
        assert picture.name.endswith(".png")
        return Image.open(BytesIO(picture.data)).convert("RGB")

    def test_lines_stand_where_they_should(self, page: Path) -> None:
        """The page is 800 pixels high in the picture and starts at (20, 64)."""
        pages = {"d": {"width": 612, "height": 792, "image": str(page)}}
        image = self.draw(measure((1, [10, 80, 280, 160])), pages)
        scale = 800 / 792
        gold, cited = (0, 0x72, 0xB2), (0xD5, 0x5E, 0)
        x, y = round(20 + 280 * scale), round(64 + 50 * scale)
        assert image.getpixel((x, y)) == gold  # the right edge, above the cited box
        below = [image.getpixel((x, round(64 + at * scale))) for at in range(102, 160)]
        assert cited in below
        assert any(pixel != cited for pixel in below)  # dashed

    def test_boxes_scale_with_the_image(self, page: Path) -> None:
        # Boxes in points of a page half as large as the image's pixels.
        pages = {"d": {"width": 306, "height": 396, "image": str(page)}}
        image = self.draw(measure((1, None)), pages)
        scale = 2 * 800 / 792
        x, y = round(20 + 280 * scale), round(64 + 60 * scale)
        assert image.getpixel((x, y)) == (0, 0x72, 0xB2)

    def test_without_a_size_boxes_are_in_pixels(self, page: Path) -> None:
        image = self.draw(measure((1, None)), {"d": {"image": str(page)}})
        scale = 800 / 792
        pixel = image.getpixel((round(20 + 280 * scale), round(64 + 60 * scale)))
        assert pixel == (0, 0x72, 0xB2)

    def test_another_page_without_an_image_is_blank(self, page: Path) -> None:
        pages = {"d": {"1": {"image": str(page)}}}
        image = self.draw(measure((2, [200, 200, 260, 260])), pages)
        assert image.width > 1000

    def test_names_in_scripts_that_the_font_lacks(self, page: Path) -> None:
        self.draw(measure((1, None), doc_id="기관"), {"기관": {"image": str(page)}})

    def test_equal_input_gives_equal_pictures(self, page: Path) -> None:
        pages: Any = {"d": {"image": str(page)}}
        result = measure((1, [10, 80, 280, 160]))
        assert list(region_figures([result], pages)) == list(region_figures([result], pages))

    @pytest.mark.parametrize("content", [b"", b"not an image", b"\x89PNG\r\n\x1a\n" + b"\0" * 50])
    def test_what_is_no_image(self, tmp_path: Path, content: bytes) -> None:
        pytest.importorskip("PIL.Image")
        path = tmp_path / "broken.png"
        path.write_bytes(content)
        pages: Any = {"d": {"1": {"image": str(path)}}}
        with pytest.raises(InputError, match="cannot be read") as caught:
            list(region_figures([measure((1, None))], pages))
        assert caught.value.field == "d.1.image"

    def test_an_image_that_is_not_there(self, tmp_path: Path) -> None:
        pytest.importorskip("PIL.Image")
        pages: Any = {"d": {"image": str(tmp_path / "absent.png")}}
        with pytest.raises(InputError, match="there is no image"):
            list(region_figures([measure((1, None))], pages))

    def test_an_image_too_large(self, tmp_path: Path) -> None:
        image = pytest.importorskip("PIL.Image")
        path = tmp_path / "bomb.png"
        image.new("1", (10_000, 9_500)).save(path)
        pages: Any = {"d": {"image": str(path)}}
        with pytest.raises(InputError, match="megapixels"):
            list(region_figures([measure((1, None))], pages))

    def test_a_font_that_is_none(self, page: Path) -> None:
        pages: Any = {"d": {"image": str(page)}}
        with pytest.raises(InputError, match="font"):
            list(region_figures([measure((1, None))], pages, font=str(page)))
