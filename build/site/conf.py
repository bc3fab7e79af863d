"""What Sphinx is told; pages.py writes the pages that it reads."""
project = "Fibry"
copyright = "the Fibry authors, Apache License 2.0"
extensions = ["myst_parser", "sphinx_copybutton"]
html_theme = "furo"
html_title = "Fibry"
html_static_path = ["site.css", "diagrams.js", "target/mermaid/package/dist/mermaid.min.js"]
html_css_files = ["site.css"]
html_show_sphinx = False
# The sources of a page are in the repository.
html_copy_source = False
html_theme_options = {
    "source_repository": "https://github.com/fibry/fibry/",
    "light_css_variables": {"color-brand-primary": "#0b5c8a", "color-brand-content": "#0b5c8a", "color-brand-visited": "#5b4a8a"},
    "dark_css_variables": {"color-brand-primary": "#6cb8e6", "color-brand-content": "#6cb8e6", "color-brand-visited": "#b3a3e6"},
}
pygments_style = "a11y-light"
pygments_dark_style = "a11y-dark"
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]
# Blocks with "…", which stands for code of the reader, are no Java for the highlighter.
suppress_warnings = ["misc.highlighting_failure"]
