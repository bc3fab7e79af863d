package io.fibry.web.internal;

import com.sun.net.httpserver.Headers;
import io.fibry.internal.log.Logs;
import io.fibry.web.WebAccess;
import io.fibry.web.WebAccessListener;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import org.slf4j.Logger;

/** What a listener learns of one request. The fiber of the request uses it, and the thread that writes the answer. */
final class AccessRecord {
    private static final Logger LOG = Logs.of("io.fibry.web");

    private final WebAccessListener listener;
    private final Instant began;
    private final long beganNanos;
    private final InetSocketAddress peer;
    private long bytes;

    AccessRecord(WebAccessListener listener, Instant began, long beganNanos, InetSocketAddress peer) {
        this.listener = listener;
        this.began = began;
        this.beganNanos = beganNanos;
        this.peer = peer;
    }

    /** Counts what is written to a stream. */
    OutputStream counting(OutputStream out) {
        return new FilterOutputStream(out) {
            @Override
            public void write(int b) throws IOException {
                out.write(b);
                bytes++;
            }

            @Override
            public void write(byte[] content, int offset, int length) throws IOException {
                out.write(content, offset, length);
                bytes += length;
            }

            @Override
            public void close() throws IOException {
                out.close();
            }
        };
    }

    /** Counts content that was sent in another way. */
    void sent(long count) {
        bytes += count;
    }

    /** Tells the listener of the end. */
    void end(String method, String target, String protocol, Headers headers, int status, boolean isWhole,
            long now) {
        try {
            listener.answered(
                    new WebAccess(began, Duration.ofNanos(now - beganNanos), peer, method, target, protocol,
                            Collections.unmodifiableMap(headers), Math.max(0, status), bytes, isWhole));
        } catch (Exception | StackOverflowError | AssertionError failure) {
            LOG.error("the listener of requests failed on {} {}", method, peer, failure);
        }
    }
}
