package io.fibry.web;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.HttpFraming;
import io.fibry.testing.Patience;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** A server with some routes, and a client of it. */
final class Site implements AutoCloseable {
    private static final long BODY_BYTES = 100_000;

    /** What reads and writes requests. */
    enum On {
        /** fibry-core's server. */
        CORE,
        /** fibry-web's server, by HTTP/1.1. */
        WEB,
        /** fibry-web's server, by HTTP/2. */
        HTTP2
    }

    private final ActorScope scope = ActorSystem.open("site");
    private final Server server;
    private final HttpClient client;

    Site(On engine, HttpRoutes routes) {
        server = engine == On.CORE
                ? Stereotypes.with(scope.anonymous()).embeddedHttpServer(
                        HttpOptions.localPort(0).bodyBytes(BODY_BYTES), routes)
                : WebServer.start(scope.anonymous(),
                        WebOptions.localPort(0).http2Upgrade(true).http(http -> http.bodyBytes(BODY_BYTES)),
                        routes);
        client = HttpClient.newBuilder().version(engine == On.HTTP2 ? Version.HTTP_2 : Version.HTTP_1_1)
                .build();
    }

    Site(WebOptions options, HttpRoutes routes) {
        server = WebServer.start(scope.anonymous(), options, routes);
        client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
    }

    int port() {
        return server.port();
    }

    int connections() {
        return server.connections();
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return ask("GET", path, "", headers);
    }

    /** Sends a request; headers are names and values by turns. */
    HttpResponse<String> ask(String method, String path, String content, String... headers) throws Exception {
        return client.send(request(method, path, content, headers), BodyHandlers.ofString());
    }

    HttpResponse<byte[]> bytes(String path, String... headers) throws Exception {
        return client.send(request("GET", path, "", headers), BodyHandlers.ofByteArray());
    }

    private HttpRequest request(String method, String path, String content, String... headers) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .timeout(Duration.ofMillis(Patience.MILLIS))
                .method(method,
                        content.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(content));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    /** Sends a request as it is, in HTTP/1.1, and returns everything that comes until the end of the connection. */
    String raw(String request) throws Exception {
        return HttpFraming.answersTo(port(), request);
    }

    @Override
    public void close() {
        client.close();
        scope.close();
    }
}
