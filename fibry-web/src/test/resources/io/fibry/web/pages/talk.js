// Says something, waits for the answer, says the next thing; at the end it tells the server what it has heard.
const heard = [];
const bytes = new Uint8Array(70000);
bytes[69999] = 6;
const sayings = ["hello \u00e4\u{1f600}", bytes, "x".repeat(200000), "last"];
const socket = new WebSocket(`ws://${location.host}/socket`, ["whisper", "shout"]);
socket.binaryType = "arraybuffer";
const next = () => {
    if (sayings.length > 0) {
        socket.send(sayings.shift());
    }
};
socket.onopen = () => {
    heard.push(`opened ${socket.protocol}`);
    next();
};
socket.onmessage = (event) => {
    const data = event.data;
    heard.push(typeof data !== "string"
        ? `${data.byteLength} bytes, ${new Uint8Array(data)[69999]}`
        : data.length > 100 ? `${data.length} chars` : data);
    next();
};
socket.onclose = (event) => {
    heard.push(`closed ${event.code} ${event.reason} ${event.wasClean}`);
    fetch("/said", { method: "POST", body: heard.join(" | ") });
};
