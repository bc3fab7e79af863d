package io.fibry.net;

import io.fibry.function.ReplyHandler;
import io.fibry.testing.Waits;
import java.util.concurrent.CountDownLatch;

/** A handler that begins, waits until it is let go, and then answers "done". */
final class BlockedHandler implements ReplyHandler<HttpCall, String> {
    private final CountDownLatch handling = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);

    @Override
    public String handle(HttpCall call) throws InterruptedException {
        handling.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            interrupted.countDown();
            throw e;
        }
        return "done";
    }

    /** Sends a request and waits until it is being handled. */
    void begin(RawHttp client) throws Exception {
        client.send(RawHttp.GET);
        Waits.on(handling);
    }

    void letGo() {
        go.countDown();
    }

    void awaitInterrupted() throws InterruptedException {
        Waits.on(interrupted);
    }
}
