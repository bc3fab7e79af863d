package io.fibry.web.internal;

import java.net.URLConnection;
import java.util.Locale;
import java.util.Map;

/** The types of files by the ends of their names. */
public final class ContentTypes {
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("html", "text/html; charset=utf-8"), Map.entry("htm", "text/html; charset=utf-8"),
            Map.entry("css", "text/css; charset=utf-8"), Map.entry("js", "text/javascript; charset=utf-8"),
            Map.entry("mjs", "text/javascript; charset=utf-8"), Map.entry("json", "application/json"),
            Map.entry("map", "application/json"), Map.entry("webmanifest", "application/manifest+json"),
            Map.entry("xml", "application/xml"), Map.entry("svg", "image/svg+xml"),
            Map.entry("txt", "text/plain; charset=utf-8"), Map.entry("md", "text/markdown; charset=utf-8"),
            Map.entry("csv", "text/csv; charset=utf-8"), Map.entry("ico", "image/x-icon"),
            Map.entry("webp", "image/webp"), Map.entry("avif", "image/avif"), Map.entry("woff", "font/woff"),
            Map.entry("woff2", "font/woff2"), Map.entry("ttf", "font/ttf"), Map.entry("mp4", "video/mp4"),
            Map.entry("webm", "video/webm"), Map.entry("mp3", "audio/mpeg"),
            Map.entry("pdf", "application/pdf"),
            Map.entry("wasm", "application/wasm"));

    private ContentTypes() {
    }

    /**
     * Returns the type of a file.
     *
     * @param file the name of the file
     * @return the type; {@code application/octet-stream} if it is not known
     */
    public static String of(String file) {
        var known = TYPES.get(file.substring(file.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
        var guessed = known != null ? known : URLConnection.guessContentTypeFromName(file);
        return guessed != null ? guessed : "application/octet-stream";
    }
}
