package io.fibry.web.internal;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Runs the requests of one HTTP/2 connection and counts them. It lives as long as the connection. */
final class StreamExecutor extends AbstractExecutorService {
    private final Executor threads;
    private final WebConnection connection;

    StreamExecutor(Executor threads, WebConnection connection) {
        this.threads = threads;
        this.connection = connection;
    }

    @Override
    public void execute(Runnable stream) {
        connection.streamBegins();
        try {
            threads.execute(() -> {
                try {
                    stream.run();
                } finally {
                    connection.streamEnds();
                }
            });
        } catch (Throwable refused) {
            connection.streamEnds();
            throw refused;
        }
    }

    @Override
    public void shutdown() {
        // the threads do not belong to this executor
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
