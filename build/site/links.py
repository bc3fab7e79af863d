#!/usr/bin/env python3
"""Looks for dead links in a folder of pages: links.py FOLDER REPOSITORY

A link within the folder needs its file, and its anchor there; one to this repository at GitHub needs its file here. Others are not asked.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

folder, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
GITHUB = re.compile(r"https://github\.com/fibry/fibry/(?:blob|tree)/main/(.*)")


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links = {""}, []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value and tag != "base":
                self.links.append(value)


pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
count, dead = 0, []
for path, page in pages.items():
    for link in page.links:
        here = GITHUB.fullmatch(link.partition("#")[0])
        if here:
            count += 1
            if not (root / urllib.parse.unquote(here.group(1))).exists():
                dead.append((path, link))
            continue
        if re.match(r"[a-zA-Z][a-zA-Z+.-]*:|//", link):
            continue
        count += 1
        parts = urllib.parse.urlsplit(link)
        file = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
        if file.is_dir():
            file /= "index.html"
        if not file.is_file() or (file in pages and urllib.parse.unquote(parts.fragment) not in pages[file].anchors):
            dead.append((path, link))
for path, link in dead:
    print(f"{path.relative_to(folder)}: {link} leads nowhere", file=sys.stderr)
if dead or not count:
    sys.exit(f"{len(dead)} of {count} links are dead")
print(f"{len(pages)} pages, {count} links, none is dead")
