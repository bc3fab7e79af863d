package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import java.io.InputStream;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request, in whatever version of HTTP it came.
 *
 * @param protocol the version, as {@code HTTP/1.1}
 * @param method as it came
 * @param target as it came
 * @param headers its headers
 * @param content opens its content; null if it has none
 */
record Incoming(String protocol, String method, String target, Headers headers,
        @Nullable Supplier<InputStream> content) {
    static final String HTTP_1_0 = "HTTP/1.0";
    static final String HTTP_1_1 = "HTTP/1.1";
    static final String HTTP_2 = "HTTP/2";

    boolean isHttp2() {
        return protocol.equals(HTTP_2);
    }
}
