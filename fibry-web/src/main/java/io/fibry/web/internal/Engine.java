package io.fibry.web.internal;

import io.fibry.web.WebOptions;
import io.helidon.common.context.Context;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.media.MediaContext;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerConfig;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.Router;
import io.helidon.webserver.Routing;
import io.helidon.webserver.http.DirectHandlers;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.http2.Http2Config;
import io.helidon.webserver.http2.Http2ConnectionSelector;
import io.helidon.webserver.http2.Http2Upgrader;
import io.helidon.webserver.spi.ServerConnection;
import java.util.List;
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

    private final WebOptions options;
    private final HttpRouting routing;
    private final ListenerConfig config;
    private final Context context = Context.create();
    private final MediaContext media = MediaContext.create();
    private final ContentEncodingContext encoding = ContentEncodingContext.builder()
            .contentEncodingsDiscoverServices(false).build();
    private final DirectHandlers handlers = DirectHandlers.create();
    private final Http1ConnectionSelector http1;
    private final Http2ConnectionSelector http2;

    Engine(WebOptions options, HttpRouting routing) {
        this.options = options;
        this.routing = routing;
        // It would read a whole chunk at once, however long.
        config = ListenerConfig.builder().maxPayloadSize(options.http().bodyBytes()).buildPrototype();
        var longest = (int) Math.min(Integer.MAX_VALUE, (long) options.http().headerBytes() + SLACK);
        var config1 = Http1Config.builder().name("http_1_1").maxHeadersSize(longest)
                .maxPrologueLength(longest)
                .addReceiveListener(new HeadListener()).sendLog(false).receiveLog(false).buildPrototype();
        var config2 =
                Http2Config.builder().name("http_2").maxHeaderListSize(longest).maxConcurrentStreams(STREAMS)
                        .flowControlTimeout(options.http().writeLimit()).buildPrototype();
        var builder = Http1ConnectionSelector.builder().config(config1);
        if (options.http2()) {
            builder.addUpgrader(Http2Upgrader.create(config2));
        }
        http1 = builder.build();
        http2 = Http2ConnectionSelector.builder().http2Config(config2).build();
    }

    /** What speaks HTTP/1.1 on a connection. */
    ServerConnection http1(ConnectionContext connection) {
        return http1.connection(connection);
    }

    /** What speaks HTTP/2 on a connection. */
    ServerConnection http2(ConnectionContext connection) {
        return http2.connection(connection);
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
