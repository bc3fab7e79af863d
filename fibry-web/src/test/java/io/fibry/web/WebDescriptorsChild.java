package io.fibry.web;

import io.fibry.ActorSystem;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import io.fibry.testing.Classes;
import io.fibry.testing.HttpFiles;
import java.io.IOException;
import java.util.List;

/** A server of fibry-web, and clients of HTTP/1.1 and HTTP/2 that stay connected. */
final class WebDescriptorsChild {
    private WebDescriptorsChild() {
    }

    public static void main(String[] args) throws Exception {
        Classes.loadBeside(WebServer.class);
        var server = WebServer.start(ActorSystem.anonymous(), WebOptions.localPort(0),
                HttpRoutes.none().get("/", call -> HttpAnswer.text("hello")));
        HttpFiles.run(server, List.of(HttpFiles.client(server), ofHttp2(server)), args[0]);
    }

    private static HttpFiles.Client ofHttp2(Server server) throws IOException {
        var client = new RawHttp2(server.port());
        return new HttpFiles.Client() {
            private int stream = -1;

            @Override
            public int get() throws IOException {
                stream += 2;
                client.send(
                        RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS | RawHttp2.END_STREAM, stream,
                                RawHttp2.get("/", "x")));
                return client.outcome(stream).equals("200 hello") ? 200 : -1;
            }

            @Override
            public void close() throws IOException {
                client.close();
            }
        };
    }
}
