package io.fibry.web.internal;

import io.fibry.internal.log.Logs;
import io.fibry.internal.net.ServedCall;
import io.fibry.web.WebAccess;
import io.fibry.web.WebAccessListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;

/** Tells a listener of a request that has been answered. */
final class AccessRecord {
    private static final Logger LOG = Logs.of("io.fibry.web");

    private AccessRecord() {
    }

    static void tell(WebAccessListener listener, ServedCall call, boolean isWhole) {
        var time = call.connection().service().time();
        var took = Duration.ofNanos(time.nanoTime() - call.began());
        var head = call.head();
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        head.headers()
                .forEach((name, value) -> headers.computeIfAbsent(name, n -> new ArrayList<>(1)).add(value));
        try {
            listener.answered(new WebAccess(time.clock().instant().minus(took), took,
                    call.remoteAddress(), head.method(), head.target(), head.protocol(),
                    Collections.unmodifiableMap(headers), Math.max(0, call.status()),
                    call.sentBytes(), isWhole));
        } catch (Exception | StackOverflowError | AssertionError failure) {
            LOG.error("the listener of requests failed on {} {}", head.method(), call.remoteAddress(),
                    failure);
        }
    }
}
