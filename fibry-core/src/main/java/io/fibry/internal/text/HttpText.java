package io.fibry.internal.text;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The texts of requests and answers, in any version of HTTP. */
public final class HttpText {
    /** Writes and reads dates (RFC 9110, 5.6.7). */
    public static final DateTimeFormatter DATES = DateTimeFormatter
            .ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH).withZone(ZoneOffset.UTC);
    private static final int MOST_LENGTH_DIGITS = 18;
    private static final boolean[] OF_TOKEN = new boolean[128];

    static {
        for (var c = 0; c < OF_TOKEN.length; c++) { // RFC 9110, 5.6.2
            OF_TOKEN[c] = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                    || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
        }
    }

    private HttpText() {
    }

    /** Returns whether so many first characters of a text are a token, which is not empty. */
    public static boolean isToken(String text, int count) {
        for (var i = 0; i < count; i++) {
            var c = text.charAt(i);
            if (c >= OF_TOKEN.length || !OF_TOKEN[c]) {
                return false;
            }
        }
        return count > 0;
    }

    /** Returns whether a value can be that of a header {@code Content-Length}. */
    public static boolean isLength(String value) {
        for (var i = 0; i < value.length(); i++) {
            if (value.charAt(i) < '0' || value.charAt(i) > '9') {
                return false;
            }
        }
        return !value.isEmpty() && value.length() <= MOST_LENGTH_DIGITS;
    }

    /** Returns whether a character or a byte is a control character other than a tab. A byte may be negative. */
    public static boolean isControl(int c) {
        return (c >= 0 && c < ' ' && c != '\t') || c == 0x7F;
    }

    /** Returns a value without the parameters after it, in small letters. */
    public static String withoutParameters(String value) {
        var semicolon = value.indexOf(';');
        return (semicolon < 0 ? value : value.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    /** Decodes UTF-8. If the bytes are none, throws what the refusal makes of the cause. */
    public static String utf8(byte[] encoded,
            Function<@Nullable Throwable, ? extends RuntimeException> refusal) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(encoded)).toString();
        } catch (CharacterCodingException e) {
            throw refusal.apply(e);
        }
    }

    /**
     * Decodes {@code %} and UTF-8. If the text is not well encoded, throws what the refusal makes of the cause, if there is
     * one. In queries and forms a plus stands for a space.
     */
    public static String decoded(String text, boolean isQuery,
            Function<@Nullable Throwable, ? extends RuntimeException> refusal) {
        if (text.indexOf('%') < 0 && !(isQuery && text.indexOf('+') >= 0)) {
            return text;
        }
        var encoded = (isQuery ? text.replace('+', ' ') : text).getBytes(StandardCharsets.UTF_8);
        var length = 0;
        for (var i = 0; i < encoded.length; i++) {
            var b = encoded[i];
            if (b == '%') {
                var high = i + 2 < encoded.length ? digit(encoded[i + 1]) : -1;
                var low = high < 0 ? -1 : digit(encoded[i + 2]);
                if (low < 0) {
                    throw refusal.apply(null);
                }
                b = (byte) (high << 4 | low);
                i += 2;
            }
            encoded[length++] = b;
        }
        return utf8(Arrays.copyOf(encoded, length), refusal);
    }

    /** Returns the value of a hexadecimal digit; -1 if it is none. */
    public static int digit(byte b) {
        return b < 0 ? -1 : Character.digit(b, 16);
    }
}
