"""Pictures as PNG, for what shows no SVG: chats."""

from __future__ import annotations


def png_of(svg: str) -> bytes:
    """Return a picture as PNG at twice its size; nothing where what draws it is not installed.

    It is drawn by resvg (https://github.com/linebender/resvg), which opens no addresses.

    Parameters
    ----------
    svg : str
        The picture.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        return b""
    return bytes(
        svg_to_bytes(svg_string=svg, zoom=2.0, sans_serif_family="DejaVu Sans", font_family="DejaVu Sans")
    )
