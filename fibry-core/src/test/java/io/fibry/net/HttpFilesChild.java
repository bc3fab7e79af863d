package io.fibry.net;

import io.fibry.Stereotypes;
import io.fibry.testing.HttpFiles;
import java.util.List;

/** A server of fibry-core, and a client that stays connected. */
final class HttpFilesChild {
    private HttpFilesChild() {
    }

    public static void main(String[] args) throws Exception {
        var server = Stereotypes.def().embeddedHttpServer(HttpOptions.localPort(0), exchange -> "hello");
        HttpFiles.run(server, List.of(HttpFiles.client(server)), args[0]);
    }
}
