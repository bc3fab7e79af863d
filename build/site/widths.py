#!/usr/bin/env python3
"""Looks whether a page of a folder is wider than the window: widths.py FOLDER BROWSER

Chromium loads each page into a frame, as wide as a phone and as a desktop. What is wide, such as a table or code, scrolls inside the page. Of the
Javadoc, each module's front page and three classes are looked at. The folder's own files are served; no other address is asked.
"""
import functools
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

folder, browser = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
WIDTHS = (390, 1280)
LOOK = """<!DOCTYPE html><body><script>
(async () => {
    const found = [];
    for (const width of WIDTHS) {
        for (const page of PAGES) {
            const frame = document.createElement("iframe");
            frame.style.cssText = `border:0;width:${width}px;height:800px`;
            const loaded = new Promise(done => frame.onload = done);
            frame.src = "/" + page;
            document.body.append(frame);
            await loaded;
            found.push([page, width, frame.contentDocument.documentElement.scrollWidth]);
            frame.remove();
        }
    }
    await fetch("/found", {method: "POST", body: JSON.stringify(found)});
})();
</script>"""
own = sorted(folder.glob("*.html")) + sorted((folder / "adr").glob("*.html"))
javadoc = [page for module in sorted(folder.glob("api/*/apidocs"))
           for page in [module / "index.html", *sorted(module.glob("*/io/fibry/**/[A-Z]*.html"))[:3]]]
pages = [page.relative_to(folder).as_posix() for page in own + javadoc]
found, done = [], threading.Event()


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/look":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(LOOK.replace("WIDTHS", json.dumps(WIDTHS)).replace("PAGES", json.dumps(pages)).encode())

    def do_POST(self):
        found.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()
        done.set()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
threading.Thread(target=server.serve_forever, daemon=True).start()
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    process = subprocess.Popen([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}", "--window-size=1400,900",
                                "--hide-scrollbars", f"http://127.0.0.1:{server.server_port}/look"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done.wait(300)
    process.terminate()
    process.wait()
wide = [each for each in found if each[2] > each[1]]
for page, width, actual in wide:
    print(f"{page} is {actual} pixels wide in a window of {width}", file=sys.stderr)
if wide or len(found) != len(pages) * len(WIDTHS) or not found:
    sys.exit(f"{len(wide)} of {len(found)} looks found a page wider than its window; {len(pages) * len(WIDTHS)} looks were to be made")
print(f"{len(pages)} pages, none is wider than a window of {' or '.join(map(str, WIDTHS))}")
