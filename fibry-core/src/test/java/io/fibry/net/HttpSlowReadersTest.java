package io.fibry.net;

import static io.fibry.net.HttpFixture.in;
import static io.fibry.net.HttpFixture.local;

import io.fibry.ActorScope;
import io.fibry.testing.HttpSlowReaderCases;
import io.fibry.testing.Promise;

@Promise({"14.4", "14.6"})
class HttpSlowReadersTest extends HttpSlowReaderCases {
    @Override
    protected Server start(ActorScope scope, HttpRoutes routes) {
        return in(scope).embeddedHttpServer(local(), routes);
    }
}
