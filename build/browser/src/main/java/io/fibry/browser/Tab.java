package io.fibry.browser;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/** A tab of a {@link Browser}. */
public final class Tab {
    private static final Pattern VALUE = Pattern.compile("\"value\":\"([^\"]*)\"");
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int PHONE = 600;

    private final Browser browser;
    private final String session;
    private final List<String> problems = new CopyOnWriteArrayList<>();

    Tab(Browser browser, String session) {
        this.browser = browser;
        this.session = session;
    }

    void problem(String text) {
        problems.add(text);
    }

    String call(String method, String parameters) {
        return browser.call(method, parameters, session);
    }

    /**
     * Returns the errors of the page so far: exceptions that nothing caught, files that could not be loaded, breaches of its policy.
     *
     * @return the errors, as the browser reports them
     */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /**
     * Goes to an address.
     *
     * @param url the address
     */
    public void go(String url) {
        call("Page.navigate", "{\"url\":" + text(url) + "}");
    }

    /**
     * Runs code in each page to which the tab goes from now on, before the page's own.
     *
     * @param code the code
     */
    public void before(String code) {
        call("Page.addScriptToEvaluateOnNewDocument", "{\"source\":" + text(code) + "}");
    }

    /**
     * Sets the size of the tab; one that is narrow is that of a phone.
     *
     * @param width the width in pixels of CSS
     * @param height the height
     * @param scale how many pixels of a picture are one of CSS
     */
    public void size(int width, int height, double scale) {
        call("Emulation.setDeviceMetricsOverride",
                "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":%s,\"mobile\":%b}"
                        .formatted(width, height, scale, width < PHONE));
    }

    /**
     * Sets a preference of the user.
     *
     * @param feature its name, for example {@code prefers-color-scheme}
     * @param value its value, for example {@code dark}
     */
    public void prefer(String feature, String value) {
        call("Emulation.setEmulatedMedia",
                "{\"features\":[{\"name\":" + text(feature) + ",\"value\":" + text(value) + "}]}");
    }

    /**
     * Presses and releases a key.
     *
     * @param key its name, for example {@code Tab} or {@code Enter}
     * @param code its number
     */
    public void press(String key, int code) {
        var entered = "Enter".equals(key) ? ",\"text\":\"\\r\"" : "";
        for (var type : List.of(entered.isEmpty() ? "rawKeyDown" : "keyDown", "keyUp")) {
            call("Input.dispatchKeyEvent",
                    "{\"type\":\"%s\",\"key\":\"%s\",\"code\":\"%s\",\"windowsVirtualKeyCode\":%d%s}"
                            .formatted(
                                    type, key, key, code, entered));
        }
    }

    /**
     * Returns the value of an expression as text.
     *
     * @param expression the expression
     * @return its value
     */
    public String see(String expression) {
        var code = "encodeURIComponent(String(" + expression + "))";
        var answer = call("Runtime.evaluate", "{\"expression\":" + text(code) + "}");
        var value = VALUE.matcher(answer);
        if (!value.find()) {
            throw new AssertionError(expression + " failed: " + answer);
        }
        return URLDecoder.decode(value.group(1).replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /**
     * Waits until an expression has a value. The page does not tell when it has changed, so this looks again and again.
     *
     * @param expression the expression
     * @param wanted the value
     */
    public void until(String expression, String wanted) {
        until(expression, wanted, expression);
    }

    /**
     * Waits until an expression has a value.
     *
     * @param expression the expression
     * @param wanted the value
     * @param what the name of the expression if it does not get this value
     */
    void until(String expression, String wanted, String what) {
        var end = System.nanoTime() + PATIENCE_NANOS;
        for (var seen = see(expression); !wanted.equals(seen); seen = see(expression)) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(
                        what + " is not '" + wanted + "' but '" + seen + "'; " + problems);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Brings the tab to the front, and waits until it has drawn itself with its newest size and colours. */
    void drawn() {
        call("Page.bringToFront", "{}");
        see("window.drawn = 0, requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = 1; }))");
        until("window.drawn", "1", "the page is drawn");
    }

    /**
     * Takes a picture of what the tab shows.
     *
     * @param file the PNG file to write
     * @throws IOException if it cannot be written
     */
    public void picture(Path file) throws IOException {
        var answer = call("Page.captureScreenshot", "{\"format\":\"png\"}");
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, Base64.getDecoder().decode(field("data", answer)));
    }

    static String field(String name, String json) {
        var key = "\"" + name + "\":\"";
        var start = json.indexOf(key) + key.length();
        if (start < key.length()) {
            throw new AssertionError("there is no " + name + " in " + json);
        }
        return json.substring(start, json.indexOf('"', start));
    }

    /**
     * Returns a text as JSON and JavaScript write it.
     *
     * @param text the text
     * @return the text in quotes
     */
    public static String text(String text) {
        var json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
