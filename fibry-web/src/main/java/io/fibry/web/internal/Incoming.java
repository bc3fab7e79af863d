package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import java.io.InputStream;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request, in any version of HTTP.
 *
 * @param protocol the version, for example {@code HTTP/1.1}
 * @param method the method as the client has sent it
 * @param target the target as the client has sent it
 * @param headers the headers
 * @param content opens its content; null if it has none
 * @param flaw why it must be refused; null if it need not be
 */
record Incoming(String protocol, String method, String target, Headers headers,
        @Nullable Supplier<InputStream> content, @Nullable String flaw) {
    static final String HTTP_1_0 = "HTTP/1.0";
    static final String HTTP_1_1 = "HTTP/1.1";
    static final String HTTP_2 = "HTTP/2";

    boolean isHttp2() {
        return protocol.equals(HTTP_2);
    }
}
