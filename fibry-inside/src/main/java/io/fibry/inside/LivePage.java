package io.fibry.inside;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.ScopeBuilder;
import io.fibry.Stereotypes;
import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.net.HttpOptions;
import io.fibry.net.Server;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

/** A page that is served. */
final class LivePage implements Inside {
    private static final Duration END = Duration.ofSeconds(2);
    private static final Duration SLOWEST = Duration.ofSeconds(10);
    private static final int REQUESTS = 32;
    private static final int BACKLOG = 64;
    private static final int HEADER_BYTES = 16 * 1024;
    private static final int HEADERS = 64;

    private final ActorScope scope;
    private final Server server;
    private final URI address;

    private LivePage(ActorScope scope, Server server, URI address) {
        this.scope = scope;
        this.server = server;
        this.address = address;
    }

    static Inside open(InsideOptions options) {
        return open(options, ActorSystem.configure(SCOPE), ActorSystem.root()::dump);
    }

    /** Opens a page for what a function dumps. */
    static Inside open(InsideOptions options, ScopeBuilder builder, Function<DumpOptions, Dump> dumps) {
        Objects.requireNonNull(options, "options");
        var scope =
                builder.withoutDefaults().strategy(CreationStrategy.fibers()).closeTimeout(END).open();
        try {
            var feed = new EventFeed(scope.time());
            var sampling = new Sampler(dumps, ActorSystem.root()::listen, feed, scope.time());
            var sampler = scope.named(SCOPE + "-sampler").onExit(sampling::stopWatching)
                    .newActorWithReturn(sampling);
            var worklists = options.worklists().stream()
                    .map(list -> scope.anonymous().newActorWithReturn(new WorklistHandler<>(list)))
                    .toList();
            var server = Stereotypes.with(scope.anonymous()).embeddedHttpServer(http(options),
                    new PageRoutes(new AccessCheck(options), sampler, feed, worklists).routes());
            return new LivePage(scope, server, address(options, server.address()));
        } catch (RuntimeException | Error notOpened) {
            scope.close();
            throw notOpened;
        }
    }

    private static HttpOptions http(InsideOptions options) {
        var http = HttpOptions.address(options.address()).backlog(BACKLOG).requests(REQUESTS)
                .headers(HEADER_BYTES, HEADERS).bodyBytes(0).readLimit(SLOWEST).writeLimit(SLOWEST)
                .contentLimit(SLOWEST);
        return options.tls().map(http::tls).orElse(http);
    }

    private static URI address(InsideOptions options, InetSocketAddress listens) {
        var ip = listens.getAddress();
        var host = ip.isAnyLocalAddress() ? "localhost" : ip.getHostAddress();
        return URI.create((options.tls().isPresent() ? "https://" : "http://")
                + (host.contains(":") ? "[" + host.replaceAll("%.*", "") + "]" : host) + ":"
                + listens.getPort() + "/" + options.token().map(token -> "?token=" + token).orElse(""));
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public URI address() {
        return address;
    }

    @Override
    public void close() {
        server.stop(END);
        scope.close();
    }

    @Override
    public String toString() {
        return "Inside on port " + port();
    }
}
