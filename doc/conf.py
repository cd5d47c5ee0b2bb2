# Configuration of Sphinx; doc/build collects its sources.
from pygments.lexers.special import TextLexer

project = "Chappie for Linux"
author = "the authors of Chappie"
extensions = ["myst_parser"]
include_patterns = [
    "*.rst", "*.md", "doc/*.md", "bus/*.rst", "man/*.rst", "Sources/ChappieSDK/PRIVACY.md", "Benchmarks/README.md",
    "Examples/README.md", "desktop/README.md", "desktop/*/README.md",
    "Sources/chappie-sandbox/README.md", "Tests/conformance/README.md", "packaging/*.md",
]
myst_heading_anchors = 3
html_theme = "alabaster"
html_theme_options = {"page_width": "76rem", "body_min_width": "0", "fixed_sidebar": True}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_static_path = ["custom.css"]
html_copy_source = False


def setup(app):
    app.add_lexer("mermaid", TextLexer)  # Shown as source text.
