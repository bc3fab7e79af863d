package io.fibry.internal.net;

import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Paths as lists of their parts. */
final class HttpPaths {
    private HttpPaths() {
    }

    /** Returns the parts between the slashes. */
    static List<String> split(String path) {
        return path.isEmpty() ? List.of("") : List.of(path.substring(1).split("/", -1));
    }

    /** Refuses a path that is not well encoded, or that would lead elsewhere as a file name. */
    static void check(String rawPath) {
        for (var i = 0; i < rawPath.length(); i++) {
            var c = rawPath.charAt(i);
            if (c == '%' || c == '.' || c == '\\') {
                decode(rawPath);
                return;
            }
        }
    }

    /** Returns the decoded parts of a path that a client has sent. */
    static List<String> decode(String rawPath) {
        var parts = new ArrayList<String>();
        for (var raw : split(rawPath)) {
            var part =
                    HttpText.decoded(raw, false,
                            cause -> new HttpProblem(400, "the path is not well encoded", cause));
            if (leadsElsewhere(part)) {
                throw new HttpProblem(400, "the path must be without . and .. and control characters");
            }
            parts.add(part);
        }
        return parts;
    }

    /** Returns whether a part would lead elsewhere as a file name. A part may contain slashes that were encoded. */
    private static boolean leadsElsewhere(String part) {
        for (var i = 0; i < part.length(); i++) {
            if (part.charAt(i) == '\t' || HttpText.isControl(part.charAt(i))) {
                return true;
            }
        }
        return part.indexOf('.') >= 0 && Arrays.stream(part.split("[/\\\\]", -1))
                .anyMatch(piece -> piece.equals(".") || piece.equals(".."));
    }

    /** Returns the values by the names that they have in the path of a route. */
    static Map<String, String> named(String path, List<String> values) {
        if (values.isEmpty()) {
            return Map.of();
        }
        var named = new HashMap<String, String>();
        var next = values.iterator();
        for (var part : split(path)) {
            if (part.startsWith("{")) {
                named.put(part.substring(1, part.length() - (part.endsWith("*}") ? 2 : 1)), next.next());
            }
        }
        return named;
    }
}
