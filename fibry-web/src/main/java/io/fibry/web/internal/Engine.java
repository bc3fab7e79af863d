package io.fibry.web.internal;

import io.fibry.net.HttpProblem;
import io.fibry.web.WebOptions;
import io.helidon.common.context.Context;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Method;
import io.helidon.http.WritableHeaders;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.http2.Http2Exception;
import io.helidon.http.media.MediaContext;
import io.helidon.webserver.ListenerConfig;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.Router;
import io.helidon.webserver.Routing;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http2.Http2Config;
import io.helidon.webserver.http2.Http2ConnectionSelector;
import io.helidon.webserver.http2.Http2Upgrader;
import io.helidon.webserver.spi.ServerConnection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;

/**
 * Helidon's protocols, without its listener: that one's time-outs, limits and stop leave much to be wished for, and
 * fibry-core has one. All connections of a server share this.
 */
final class Engine implements ListenerContext, Router {
    /** Rests on what is checked here before: whatever is too long for our limits is answered by us, with a status. */
    private static final int SLACK = 16 * 1024;
    /** Helidon keeps what it knows of streams that have ended, up to that many. */
    private static final long STREAMS = 128;

    /** Helidon counts in milliseconds, some of them in an int. */
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

    private final WebOptions options;
    private final HttpRouting routing;
    private final ListenerConfig config;
    private final Context context = Context.create();
    private final MediaContext media = MediaContext.create();
    private final ContentEncodingContext encoding = ContentEncodingContext.builder()
            .contentEncodingsDiscoverServices(false).build();
    private final DirectHandlers handlers = DirectHandlers.create();
    private final Http2Upgrader upgrader;
    private final Http2ConnectionSelector http2;

    Engine(WebOptions options, HttpRouting routing) {
        this.options = options;
        this.routing = routing;
        // It would read a whole chunk at once, however long.
        config = ListenerConfig.builder().maxPayloadSize(options.http().bodyBytes()).buildPrototype();
        var longest = mostHeaderBytes();
        var config2 =
                Http2Config.builder().name("http_2").maxHeaderListSize(longest).maxConcurrentStreams(STREAMS)
                        .validatePath(false)
                        .flowControlTimeout(inMillis(options.http().writeLimit())).buildPrototype();
        upgrader = Http2Upgrader.create(config2);
        http2 = Http2ConnectionSelector.builder().http2Config(config2).build();
    }

    private static Duration inMillis(Duration limit) {
        return limit.compareTo(SHORTEST) < 0 ? SHORTEST : limit.compareTo(LONGEST) > 0 ? LONGEST : limit;
    }

    /** What speaks HTTP/2 on a connection whose client has asked for it in HTTP/1.1; that request is its first one. */
    ServerConnection upgrade(WebConnection connection, Http1Head head) {
        var headers = WritableHeaders.create();
        head.headers().forEach((name, values) -> {
            if (!Requests.OF_CONNECTIONS.contains(name.toLowerCase(Locale.ROOT))) {
                headers.add(HeaderValues.create(HeaderNames.create(name), values));
            }
        });
        connection.becomesHttp2(true);
        try {
            return upgrader.upgrade(connection, HttpPrologue.create(head.protocol(), "HTTP", "1.1",
                    Method.create(head.method()), head.target(), false), headers);
        } catch (IllegalArgumentException | Http2Exception e) {
            throw new HttpProblem(400, "the settings of HTTP/2 are not well formed", e);
        }
    }

    /** What speaks HTTP/2 on a connection. */
    ServerConnection http2(WebConnection connection) {
        connection.becomesHttp2(false);
        return http2.connection(connection);
    }

    /** How long the headers of a request of HTTP/2 may be, each with 32 bytes more. */
    int mostHeaderBytes() {
        return (int) Math.min(Integer.MAX_VALUE, (long) options.http().headerBytes() + SLACK);
    }

    /** What clients can choose from in a TLS handshake. */
    List<String> protocols() {
        return options.http2() ? List.of("h2", "http/1.1") : List.of("http/1.1");
    }

    @Override
    public Context context() {
        return context;
    }

    @Override
    public MediaContext mediaContext() {
        return media;
    }

    @Override
    public ContentEncodingContext contentEncodingContext() {
        return encoding;
    }

    @Override
    public DirectHandlers directHandlers() {
        return handlers;
    }

    @Override
    public ListenerConfig config() {
        return config;
    }

    @Override
    public ExecutorService executor() {
        throw new UnsupportedOperationException("each connection has one");
    }

    // ---- The router: all requests go one way. ----

    @Override
    public <T extends Routing> T routing(Class<T> type, T other) {
        return type.isInstance(routing) ? type.cast(routing) : other;
    }

    @Override
    public void beforeStart() {
        // nothing starts
    }

    @Override
    public void afterStop() {
        // nothing stops
    }

    @Override
    public List<? extends Routing> routings() {
        return List.of(routing);
    }
}
