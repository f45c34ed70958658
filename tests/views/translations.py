#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every text of the window has its Chinese: what lupdate finds in the sources and the translation lacks is listed.

usage: translations.py LUPDATE SOURCE_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml


def main() -> int:
    lupdate, source = sys.argv[1], pathlib.Path(sys.argv[2])
    missing = []
    for original in sorted((source / "resources" / "i18n").glob("cubist_*.ts")):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / original.name
            shutil.copy(original, copy)
            subprocess.run([lupdate, "-silent", "-locations", "none", "-I", str(source), str(source / "views"),
                            str(source / "app"), "-extensions", "cpp,h", "-ts", str(copy)],
                           check=True, stderr=subprocess.DEVNULL)
            for context in xml.parse(copy).getroot().iter("context"):
                for message in context.iter("message"):
                    if message.find("translation").get("type") == "unfinished":
                        missing.append(f"{original.name}: {context.findtext('name')}: {message.findtext('source')}")
    print("\n".join(missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
