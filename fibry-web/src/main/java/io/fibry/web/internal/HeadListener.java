package io.fibry.web.internal;

import io.helidon.http.Headers;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;

/** Hears when the head of a request is there. */
final class HeadListener implements Http1ConnectionListener {
    @Override
    public void headers(ConnectionContext connection, Headers headers) {
        ((WebConnection) connection).busy();
    }
}
