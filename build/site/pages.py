#!/usr/bin/env python3
"""Writes the pages that Sphinx reads, from README, docs and the other documents of the root: pages.py REPOSITORY FOLDER

A link to a file of the repository that is no page leads to GitHub. The last chapter of README, "Read on", becomes the menu: each of its
lines is a chapter of it. Sphinx refuses a page that the menu lacks, and a link to a page or a heading that is not there.
"""
import html
import pathlib
import posixpath
import re
import shutil
import sys

GITHUB = "https://github.com/fibry/fibry"
SITE = "https://fibry.io"
BRANCH = "main"
JAVADOC = (pathlib.Path(__file__).parent / "javadoc.css").read_text(encoding="utf-8")
root, target = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])


def page(path):
    """Where the site has a document or a picture of the repository, both relative to their roots."""
    if path == "README.md":
        return "index.md"
    return path.removeprefix("docs/").replace("adr/README.md", "adr/index.md")


sources = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"] + sorted(
    str(p.relative_to(root)) for p in (root / "docs").rglob("*.md"))
pictures = sorted(str(p.relative_to(root)) for p in (root / "docs").rglob("*") if p.suffix in (".png", ".svg"))
known = {path: page(path) for path in sources + pictures}
known["docs/adr"] = known["docs/adr/README.md"]


def link(source, destination):
    """The destination of a link of a document, as the site has it."""
    if re.match(r"[a-z]+:|#", destination):
        return destination
    path, hash, anchor = destination.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if path in known:
        return posixpath.relpath(known[path], posixpath.dirname(known[source]) or ".") + hash + anchor
    file = root / path
    if not file.exists():
        sys.exit(f"{source}: there is no {path}")
    return f"{GITHUB}/{'tree' if file.is_dir() else 'blob'}/{BRANCH}/{path}{hash}{anchor}"


def picture(source, element):
    """A picture of the README has a light and a dark form; here the reader's choice for the site shows one of them."""
    dark, light = re.search(r'srcset="([^"]*)"', element), re.search(r'<img src="([^"]*)"', element)
    rest = element[light.end():element.index(">", light.end())]
    return "".join(f'<img class="only-{name}" src="{link(source, each.group(1))}"{rest}>'
                   for name, each in (("light", light), ("dark", dark)))


def menu(readme):
    """The chapters of the menu, of the lines of the last chapter of README."""
    trees = []
    for title, line in re.findall(r"^- ([^:]*): (.*)$", readme[readme.index("## Read on"):], re.M):
        pages = [link("README.md", each).partition("#")[0] for each in re.findall(r"\]\(([^)]*)\)", line)]
        pages = [each for each in pages if each.endswith(".md") and each != "index.md"]
        if "semantics.md" in pages:
            pages += sorted(each for each in known.values() if each.startswith("semantics-"))
        if title == "For contributors":
            # Each module has its own pages of Javadoc, below api; those of users come before what is for contributors.
            trees.append("```{toctree}\n:hidden:\n:caption: Reference\n\napi.md\n```")
        trees.append("```{toctree}\n:hidden:\n:caption: " + title + "\n\n" + "\n".join(dict.fromkeys(pages)) + "\n```")
    return "\n\n".join(trees)


def modules():
    """The front page of all Javadoc: each published module with its description."""
    lines = ["# Javadoc", "", "Each module in Java has its own pages.", "", "| module | |", "|---|---|"]
    for name in re.findall(r"<module>([^<]*)</module>", (root / "pom.xml").read_text().partition("</modules>")[0]):
        if (root / name / "target/reports/apidocs/index.html").exists():
            words = re.search(r"<description>([^<]*)</description>", (root / name / "pom.xml").read_text()).group(1)
            lines.append(f'| <a href="api/{name}/apidocs/index.html">{name}</a> | {" ".join(words.split())} |')
            folder = target.parent / "extra/api" / name
            shutil.copytree(root / name / "target/reports/apidocs", folder / "apidocs", ignore=shutil.ignore_patterns("META-INF", "options", "argfile", "*.sh"))
            # The address that the module's pom gives.
            (folder / "index.html").write_text('<!DOCTYPE html><title>' + name + '</title><meta http-equiv="refresh" content="0; url=apidocs/index.html">')
            with (folder / "apidocs/resource-files/stylesheet.css").open("a", encoding="utf-8") as sheet:
                sheet.write(JAVADOC)
            # Pages link to other modules by their address; here they are beside each other.
            for file in (folder / "apidocs").rglob("*.html"):
                text = file.read_text(encoding="utf-8")
                up = "../" * len(file.relative_to(target.parent / "extra").parts[1:])
                file.write_text(text.replace(f"{SITE}/", up).replace('external-link"', '"'), encoding="utf-8")
    lines += ["", "[Kotlin](kotlin.md) describes `fibry-kotlin`."]
    return "\n".join(lines) + "\n"


shutil.rmtree(target, ignore_errors=True)
shutil.rmtree(target.parent / "extra", ignore_errors=True)
for source in sources:
    text = (root / source).read_text(encoding="utf-8")
    code = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for i in range(0, len(code), 2):
        code[i] = re.sub(r"<picture>.*?</picture>", lambda found: picture(source, found.group()), code[i], flags=re.S)
        code[i] = re.sub(r"\]\(([^)\s]*)\)", lambda found: "](" + link(source, found.group(1)) + ")", code[i])
    for i in range(1, len(code), 2):
        # A diagram; mermaid.js draws it.
        code[i] = re.sub(r"^```mermaid\n(.*?)^```$", lambda found: f'<pre class="mermaid">\n{html.escape(found.group(1))}</pre>', code[i], flags=re.M | re.S)
    text = "".join(code)
    if 'class="mermaid"' in text:
        up = "../" * source.removeprefix("docs/").count("/")
        text += f'\n<script src="{up}_static/mermaid.min.js"></script>\n<script src="{up}_static/diagrams.js"></script>\n'
    if source == "README.md":
        text += "\n" + menu((root / source).read_text(encoding="utf-8")) + "\n"
    if source == "docs/adr/README.md":
        text += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"
    file = target / known[source]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
for source in pictures:
    # Sphinx copies a picture of Markdown; one of HTML is there as it is.
    for folder in (target, target.parent / "extra"):
        file = folder / known[source]
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / source, file)
(target / "api.md").write_text(modules(), encoding="utf-8")
