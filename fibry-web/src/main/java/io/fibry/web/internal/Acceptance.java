package io.fibry.web.internal;

import io.fibry.internal.text.HttpText;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a client accepts (RFC 9110, 12.5.3). */
public final class Acceptance {
    private Acceptance() {
    }

    /**
     * Tells whether a client takes compressed content, and does not prefer it as it is.
     *
     * @param headers the values of {@code Accept-Encoding}
     * @return whether content may be compressed by gzip
     */
    public static boolean takesGzip(List<String> headers) {
        var gzip = -1.0;
        var identity = -1.0;
        var others = 0.0;
        for (var each : headers.stream().flatMap(header -> Arrays.stream(header.split(",", -1))).toList()) {
            var semicolon = each.indexOf(';');
            var weight = semicolon < 0 ? 1 : weight(each.substring(semicolon + 1));
            switch (HttpText.withoutParameters(each)) {
                case "gzip", "x-gzip" -> gzip = Math.max(gzip, weight);
                case "identity" -> identity = weight;
                case "*" -> others = weight;
                default -> {
                    // another encoding
                }
            }
        }
        var wanted = gzip < 0 ? others : gzip;
        return wanted > 0 && wanted >= identity;
    }

    /** Returns a weight from 0 to 1; zero if it is not well formed. */
    private static double weight(String parameter) {
        var text = parameter.strip().toLowerCase(Locale.ROOT);
        return text.matches("q *= *(0(\\.\\d{0,3})?|1(\\.0{0,3})?)")
                ? Double.parseDouble(text.substring(text.indexOf('=') + 1).strip())
                : 0;
    }
}
