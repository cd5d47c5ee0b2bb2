#!/usr/bin/env python3
"""Makes the reference of the bus from dbus/*.xml: manual pages (mdoc), and pages for Sphinx (reStructuredText).

    doc/interfaces.py mdoc|rst DIRECTORY

The comments of the XML are those of gdbus-codegen, with three rules more: `backquotes` mark names, of which those of
members become links; "* name (type): text" is an entry of a list; name(N) is a manual page. gdbus-codegen itself, of
GLib 2.74, loses the indentation of lists and makes no manual pages.
"""

import re
import sys
import textwrap
from pathlib import Path
from xml.dom import minidom

TOP = Path(__file__).resolve().parent.parent
MANUALS = [page.stem for page in (TOP / "data/man").iterdir()]
# Standard interfaces are documented elsewhere, so they get no manual page.
STANDARD = "org.freedesktop."


class Doc:
    """A comment: arguments, then paragraphs (text) and lists (pairs of terms and text)."""

    def __init__(self, comment):
        lines = textwrap.dedent(comment).strip("\n").splitlines()
        self.symbol, self.arguments, self.blocks = lines[0].strip().rstrip(":"), {}, []
        for chunk in re.split(r"\n(?=@|\* |\n)", "\n".join(lines[1:])):
            text = " ".join(chunk.split())
            if match := re.match(r"@(\w+): (.*)", text):
                self.arguments[match[1]] = match[2]
            elif match := re.match(r"\* (.+?): (.*)", text):
                if not self.blocks or isinstance(self.blocks[-1], str):
                    self.blocks.append([])
                terms = [re.fullmatch(r"(\S+)(?: \((\S+)\))?", term).groups() for term in match[1].split(", ")]
                self.blocks[-1].append((terms, match[2][0].upper() + match[2][1:]))
            elif text:
                self.blocks.append(text)


class Member:
    """A method, signal or property, with the EmitsChangedSignal annotation."""

    def __init__(self, node, comment):
        self.kind, self.name, self.doc = node.tagName, node.getAttribute("name"), Doc(comment)
        if self.doc.symbol != self.name:
            sys.exit(f"The comment of {self.name} is of {self.doc.symbol}.")
        arguments = [(arg.getAttribute("direction"), arg.getAttribute("type"), arg.getAttribute("name"))
                     for arg in node.getElementsByTagName("arg")]
        if [name for _, _, name in arguments] != list(self.doc.arguments):
            sys.exit(f"The comment of {self.name} has not its arguments, in their order.")
        self.takes = [f"{type} {name}" for direction, type, name in arguments if direction != "out"]
        self.gives = ", ".join(f"{type} {name}" for direction, type, name in arguments if direction == "out")
        self.type = node.getAttribute("type")
        notes = {note.getAttribute("name"): note.getAttribute("value") for note in node.getElementsByTagName("annotation")}
        change = notes.get("org.freedesktop.DBus.Property.EmitsChangedSignal")
        if change == "invalidates":
            self.doc.blocks.append("The change signal carries no value, so that it is not broadcast: read it then.")
        elif change == "const" and self.name != "Version":
            self.doc.blocks.append("It does not change.")


class Interface:
    def __init__(self, file):
        node = minidom.parse(str(file)).documentElement
        element = node.getElementsByTagName("interface")[0]
        self.name = element.getAttribute("name")
        self.doc = Doc([child.data for child in node.childNodes if child.nodeType == child.COMMENT_NODE][-1])
        self.summary = self.doc.arguments["short_description"]
        comment, self.members = "", []
        for child in element.childNodes:
            if child.nodeType == child.COMMENT_NODE:
                comment = child.data
            elif child.nodeType == child.ELEMENT_NODE:
                self.members.append(Member(child, comment))
        self.groups = [(title, [member for member in self.members if member.kind == kind]) for title, kind in
                       (("Methods", "method"), ("Signals", "signal"), ("Properties", "property"))]

    def target(self, name, interfaces):
        """The full name of the member or interface that `name` means here, or None."""
        known = {interface.name: {member.name for member in interface.members} for interface in interfaces}
        if name in known:
            return name
        if name in known[self.name]:
            return f"{self.name}.{name}"
        owner, _, member = name.rpartition(".")
        candidates = [full for full in known if member in known[full] and owner in ("", full)]
        return f"{candidates[0]}.{member}" if len(candidates) == 1 else None


def check_names(interface, interfaces):
    """Checks that each name that looks like a member or an error exists."""
    errors = re.findall(r"^\.It Sy (org\.chappie\.Error\.(\w+))", (TOP / "data/man/org.chappie.7").read_text(), re.M)
    errors = {name for pair in errors for name in pair}
    for doc in [interface.doc, *(member.doc for member in interface.members)]:
        texts = [*doc.arguments.values()]
        for block in doc.blocks:
            texts += [block] if isinstance(block, str) else [text for _, text in block]
        for kind, piece in (part for text in texts for part in pieces(text)):
            if kind == "code" and re.fullmatch(r"org\..+|([A-Z]\w+\.)?[A-Z]\w*[a-z]\w*", piece):
                if piece not in errors and not interface.target(piece, interfaces):
                    sys.exit(f"{interface.name}, {doc.symbol}: there is no {piece}.")


def pieces(text):
    """(kind, piece) of a text: "plain", "code" or "manual"."""
    if text.startswith("Errors: "):
        first, stop, rest = text.partition(".")
        text = re.sub(r"(?<=[:,;] )([A-Z]\w+)", r"`\1`", first) + stop + rest
    for piece in re.split(r"(`[^`]+`|[\w.]*\w\(\d\))", text):
        if piece.startswith("`"):
            # `Client.Send` is an abbreviated name.
            yield "code", re.sub(r"^(?=[A-Z]\w+\.[A-Z])", "org.chappie.", piece.strip("`"))
        elif re.fullmatch(r"[\w.]+\(\d\)", piece):
            yield "manual", piece
        elif piece:
            yield "plain", piece


# --- Manual pages ----------------------------------------------------------------------------------------------------


def mdoc_name(name):
    """Bold text without line breaks, except between the members of a JSON object."""
    return "\\fB\\%" + name.replace("-", "\\-").replace('","', '",\\:"') + "\\fR"


def mdoc_text(text):
    """Lines of mdoc for a text."""
    out = ""
    for kind, piece in pieces(text):
        escaped = piece.replace("\\", "\\e")
        if kind == "code":
            out += mdoc_name(escaped)
        elif kind == "manual":
            name, section = piece.rstrip(")").split("(")
            out = out.rstrip(" ") + f"\n.Xr {name} {section}\n"
        elif out.endswith("\n") and (stop := re.match(r"[.,;:]", escaped)):
            out = out[:-1] + f" {stop[0]}\n" + escaped[1:].lstrip()
        else:
            out += escaped.lstrip() if out.endswith("\n") else escaped
    lines = []
    for line in out.strip().splitlines():
        is_macro = line.startswith(".Xr ")
        for part in [line] if is_macro else re.split(r"(?<=[.:;]) (?=\S)", line):
            lines += [part] if is_macro else textwrap.wrap(part, 78, break_long_words=False, break_on_hyphens=False)
    return [f"\\&{line}" if line[0] in ".'" and not line.startswith(".Xr ") else line for line in lines]


def mdoc_blocks(doc, first=False):
    lines = []
    for block in doc.blocks:
        if isinstance(block, str):
            lines += ([".Pp"] if lines or not first else []) + mdoc_text(block)
            continue
        lines.append(".Bl -tag -width Ds -compact")
        for terms, text in block:
            names = [mdoc_name(name) + (f" ({type})" if type else "") for name, type in terms]
            lines += [".It " + ", ".join(names)] + mdoc_text(text)
        lines.append(".El")
    return lines


def mdoc_member(member):
    if member.kind == "property":
        return [f".It Va {member.name} Pq {member.type}"] + mdoc_blocks(member.doc, first=True)
    takes = "".join(f' "{argument}"' for argument in member.takes)
    lines = [f".It Fn {member.name}{takes}" + (f' No \\(-> Pq "{member.gives}"' if member.gives else "")]
    if member.doc.arguments:
        lines.append(".Bl -tag -width Ds -compact")
        for name, text in member.doc.arguments.items():
            lines += [f".It Ar {name}"] + mdoc_text(text)
        lines += [".El", ".Pp"]
    return lines + mdoc_blocks(member.doc, first=True)


def mdoc(interface, interfaces):
    date = re.search(r"^\.Dd .*", (TOP / "data/man/org.chappie.7").read_text(), re.M)[0]
    lines = [
        '.\\" SPDX-License-Identifier: Apache-2.0', f'.\\" Made by doc/interfaces.py from dbus/{interface.name}.xml.',
        date, f".Dt {interface.name.upper()} 7", ".Os Chappie", ".Sh NAME", f".Nm {interface.name}",
        f".Nd {interface.summary}", ".Sh DESCRIPTION", *mdoc_blocks(interface.doc, first=True),
    ]
    for title, members in interface.groups:
        if members:
            lines += [f".Sh {title.upper()}", ".Bl -tag -width Ds"]
            for member in members:
                lines += mdoc_member(member)
            lines.append(".El")
    others = [other.name for other in interfaces if other is not interface and not other.name.startswith(STANDARD)]
    lines += [".Sh SEE ALSO", *(f".Xr {name} 7 ," for name in ["org.chappie", *sorted(others)]), ".Xr chappied 8"]
    return "\n".join(lines) + "\n"


# --- Pages for Sphinx ------------------------------------------------------------------------------------------------


def rst_text(text, interface, interfaces):
    out = ""
    for kind, piece in pieces(text):
        if kind == "code":
            target = interface.target(piece, interfaces)
            out += f"\\ :ref:`{piece} <{target}>`\\ " if target else f"\\ ``{piece}``\\ "
        elif kind == "manual" and f"{piece[:-3]}.{piece[-2]}" in MANUALS:
            out += f"\\ :doc:`{piece} <../man/{piece[:-3]}.{piece[-2]}>`\\ "
        else:
            out += re.sub(r"([\\*_|])", r"\\\1", piece)
    return out


def rst_doc(doc, interface, interfaces):
    lines = []
    for block in doc.blocks:
        if isinstance(block, str):
            lines += [rst_text(block, interface, interfaces), ""]
            continue
        for terms, text in block:
            term = ", ".join(f"``{name}``" + (f" ({type})" if type else "") for name, type in terms)
            lines += [term, "   " + rst_text(text, interface, interfaces), ""]
    return lines


def rst(interface, interfaces):
    def heading(text, line):
        return [text, line * len(text), ""]

    lines = [f".. _{interface.name}:", "", *heading(interface.name, "="),
             f"*{interface.summary[0].upper()}{interface.summary[1:]}.*", "",
             *rst_doc(interface.doc, interface, interfaces)]
    for title, members in interface.groups:
        lines += heading(title, "-") if members else []
        for member in members:
            lines += [f".. _{interface.name}.{member.name}:", "", *heading(member.name, "~")]
            if member.kind == "property":
                lines += [f"``{member.name}`` ({member.type})", ""]
            else:
                gives = f" → ({member.gives})" if member.gives else ""
                lines += [f"``{member.name}({', '.join(member.takes)}){gives}``", ""]
            for name, text in member.doc.arguments.items():
                lines.append(f":{name}: " + rst_text(text, interface, interfaces))
            lines += ["", *rst_doc(member.doc, interface, interfaces)]
    return "\n".join(lines)


def main():
    form, directory = sys.argv[1], Path(sys.argv[2])
    directory.mkdir(parents=True, exist_ok=True)
    interfaces = [Interface(file) for file in sorted((TOP / "dbus").glob("*.xml"))]
    for interface in interfaces:
        check_names(interface, interfaces)
        if form == "rst":
            (directory / f"{interface.name}.rst").write_text(rst(interface, interfaces))
        elif not interface.name.startswith(STANDARD):
            (directory / f"{interface.name}.7").write_text(mdoc(interface, interfaces))


if __name__ == "__main__":
    main()
