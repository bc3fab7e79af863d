package io.fibry.web.internal;

import io.fibry.internal.clock.Durations;
import io.fibry.internal.net.HttpHead;
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
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;

/**
 * The protocols of Helidon without its listener. The time-outs, the limits and the stop of that listener are not
 * sufficient, and fibry-core has a listener of its own. All connections of a server share one engine.
 */
final class Engine implements ListenerContext, Router {
    /** Helidon's limits are higher by this number, so that this package refuses what is too long, with a status. */
    private static final int SLACK = 16 * 1024;
    /** Helidon forgets streams that have ended when there are so many. It ends the connection if there are more. */
    private static final long STREAMS = 2 * Http2Streams.MOST;

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

    Engine(WebOptions options) {
        this.options = options;
        routing = new Requests();
        config = ListenerConfig.create();
        var longest = mostHeaderBytes();
        var config2 =
                Http2Config.builder().name("http_2").maxHeaderListSize(longest).maxConcurrentStreams(STREAMS)
                        .initialWindowSize(Http2Streams.WINDOW_OF_ALL).validatePath(false)
                        .flowControlTimeout(
                                Duration.ofNanos(Durations.boundedNanos(options.http().writeLimit())))
                        .buildPrototype();
        upgrader = Http2Upgrader.create(config2);
        http2 = Http2ConnectionSelector.builder().http2Config(config2).build();
    }

    /** Makes the HTTP/2 side of a connection whose client has asked for HTTP/2 in HTTP/1.1. That request is the first one. */
    ServerConnection upgrade(Http2Connection connection, HttpHead head, Http2Frames frames) {
        var headers = WritableHeaders.create();
        head.headers().forEach((name, value) -> {
            if (!Requests.OF_CONNECTIONS.contains(name.toLowerCase(Locale.ROOT))) {
                headers.add(HeaderValues.create(HeaderNames.create(name), value));
            }
        });
        headers.remove(HeaderNames.CONTENT_LENGTH); // it is 0; Helidon would wait for content after the answer
        try {
            frames.upgraded(Base64.getUrlDecoder().decode(head.headers().all("HTTP2-Settings").getFirst()));
            return upgrader.upgrade(connection, HttpPrologue.create(head.protocol(), "HTTP", "1.1",
                    Method.create(head.method()), head.target(), false), headers);
        } catch (IllegalArgumentException | Http2Exception e) {
            throw new HttpProblem(400, "the settings of HTTP/2 are not well formed", e);
        }
    }

    /** Makes the HTTP/2 side of a connection. */
    ServerConnection http2(Http2Connection connection) {
        return http2.connection(connection);
    }

    /** Returns how long the headers of a request of HTTP/2 may be, with 32 more bytes for each header. */
    int mostHeaderBytes() {
        return (int) Math.min(Integer.MAX_VALUE, (long) options.http().headerBytes() + SLACK);
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

    // ---- The router: all requests have the same route. ----

    @Override
    public <T extends Routing> T routing(Class<T> type, T other) {
        return type.isInstance(routing) ? type.cast(routing) : other;
    }

    @Override
    public void beforeStart() {
        // the router has nothing to start
    }

    @Override
    public void afterStop() {
        // the router has nothing to stop
    }

    @Override
    public List<? extends Routing> routings() {
        return List.of(routing);
    }
}
