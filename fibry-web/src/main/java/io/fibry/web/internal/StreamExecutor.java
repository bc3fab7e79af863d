package io.fibry.web.internal;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Runs the requests of one HTTP/2 connection, each as an actor on a fiber, and counts them. */
final class StreamExecutor extends AbstractExecutorService {
    private final Http2Connection http2;

    StreamExecutor(Http2Connection http2) {
        this.http2 = http2;
    }

    @Override
    public void execute(Runnable stream) {
        http2.streamBegins();
        if (!http2.connection().soon(stream, http2::streamEnds)) {
            http2.streamEnds();
            throw new RejectedExecutionException("the server is being closed");
        }
    }

    @Override
    public void shutdown() {
        // the fibers do not belong to this executor
    }

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return false;
    }
}
