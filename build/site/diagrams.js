// Draws the diagrams of a page in the colours that the reader has chosen for the site, and again when the choice changes.
const diagrams = [...document.querySelectorAll("pre.mermaid")].map(element => ({element, text: element.textContent}));
const isDark = () => document.body.dataset.theme === "dark"
    || document.body.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches;

async function draw() {
    mermaid.initialize({startOnLoad: false, theme: isDark() ? "dark" : "default"});
    for (const [i, {element, text}] of diagrams.entries()) {
        element.innerHTML = (await mermaid.render("diagram" + i, text)).svg;
    }
}

draw();
new MutationObserver(draw).observe(document.body, {attributeFilter: ["data-theme"]});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
