package io.fibry.web;

import io.fibry.internal.log.Logs;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.slf4j.Logger;

/**
 * Writes a line for each request to the log, in the <em>combined</em> form that tools read, and with the time that it took
 * in microseconds at the end:
 *
 * <pre>{@code
 * 192.0.2.7 - - [23/Nov/2026:22:04:11 +0000] "GET /items HTTP/2" 200 512 "-" "curl/8.5.0" 1834
 * }</pre>
 *
 * <p>The logger is {@code io.fibry.web.access}, at the level INFO; let its lines go to a file of their own, by an appender
 * that does not wait. Queries are left out by default, since they may be secret. What a client sends cannot begin a new
 * line or end a quote: such characters are written as {@code \x0A}. Objects of this class are immutable: each call returns
 * another one.
 *
 * @param hasQueries whether queries are written
 */
public record AccessLog(boolean hasQueries) implements WebAccessListener {
    private static final Logger LOG = Logs.of("io.fibry.web.access");
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH)
                    .withZone(ZoneId.systemDefault());

    /**
     * Returns a log without queries.
     *
     * @return the log
     */
    public static AccessLog combined() {
        return new AccessLog(false);
    }

    /**
     * Returns the same log with queries or without them.
     *
     * @param written whether queries are written
     * @return the new log
     */
    public AccessLog queries(boolean written) {
        return new AccessLog(written);
    }

    @Override
    public void answered(WebAccess access) {
        if (LOG.isInfoEnabled()) {
            LOG.info("{}", line(access));
        }
    }

    /**
     * Returns the line of a request.
     *
     * @param access the request
     * @return the line, without an end
     */
    public String line(WebAccess access) {
        var line = new StringBuilder(200).append(access.peer().getAddress().getHostAddress())
                .append(" - - [")
                .append(TIME.format(access.began())).append("] \"");
        if (access.method().isEmpty()) {
            line.append('-');
        } else {
            quoted(line, access.method()).append(' ');
            quoted(line, hasQueries ? access.target() : access.path()).append(' ').append(access.protocol());
        }
        line.append("\" ").append(access.status()).append(' ').append(access.bytes()).append(" \"");
        quoted(line, access.header("Referer").orElse("-")).append("\" \"");
        return quoted(line, access.header("User-Agent").orElse("-")).append("\" ")
                .append(access.took().toNanos() / 1_000).toString();
    }

    private static StringBuilder quoted(StringBuilder line, String text) {
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c < ' ' || c >= 0x7F || c == '"' || c == '\\') {
                line.append("\\x").append("%02X".formatted((int) c));
            } else {
                line.append(c);
            }
        }
        return line;
    }
}
