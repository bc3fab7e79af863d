package io.fibry.web.internal;

import io.fibry.internal.net.BlockInput;
import io.fibry.net.HttpProblem;
import io.helidon.common.buffers.DataReader;
import io.helidon.http.RequestException;
import io.helidon.webserver.ServerConnectionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The content of a request of HTTP/2. Helidon refuses more than was announced, and takes less for the whole. It does not
 * tell the reader when the connection or the stream has ended, so the reader is interrupted then. The lock ensures that
 * this interrupt does not reach a reader that no longer waits.
 */
final class Http2Content extends BlockInput {
    private final Supplier<InputStream> source;
    private final Supplier<Optional<String>> flaw;
    /** An interrupt reaches the reader only while it waits. */
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable InputStream in;
    private long left;
    /** Guarded by the lock. */
    private @Nullable Thread waiting;
    /** Set by the end of the connection or of the stream. Guarded by the lock. */
    private boolean abandoned;
    /** Whether the reader was interrupted here. Guarded by the lock. */
    private boolean interrupted;

    /**
     * Makes the content.
     *
     * @param source returns Helidon's stream
     * @param announced the length that the client has announced; zero if it has announced none
     * @param flaw returns at the end of the content why it is not well formed
     */
    Http2Content(Supplier<InputStream> source, long announced, Supplier<Optional<String>> flaw) {
        this.source = source;
        this.flaw = flaw;
        left = announced;
    }

    void abandon() {
        lock.lock();
        try {
            abandoned = true;
            if (waiting != null) {
                interrupted = true;
                waiting.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the content when the request is over. Helidon would otherwise wait for the rest of it, without a limit and also when
     * the connection has ended. A thread that is interrupted reads the end.
     */
    void leave() {
        abandon(); // another thread may still read
        try {
            if (in == null) {
                in = source.get();
            }
            var bytes = new byte[1_024];
            do {
                Thread.currentThread().interrupt();
            } while (in.read(bytes) >= 0);
        } catch (IOException | RuntimeException gone) {
            // there is no rest
        } finally {
            Thread.interrupted(); // also one of a stop: nothing of the request is left that it could end
        }
    }

    @Override
    protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
        waits(Thread.currentThread());
        int count;
        try {
            if (in == null) {
                in = source.get();
            }
            count = in.read(bytes, offset, length);
        } catch (RequestException refused) {
            throw new HttpProblem(refused.status().code(), "the content is too long, or not well formed",
                    refused);
        } catch (UncheckedIOException | ServerConnectionException
                | DataReader.InsufficientDataAvailableException | IllegalStateException e) {
            throw new IOException("the client has gone", e);
        } finally {
            waits(null);
        }
        if (count >= 0) {
            left -= count;
            return count;
        }
        var why = flaw.get();
        if (why.isPresent() || left > 0) {
            throw new HttpProblem(400, why.orElse("the content is shorter than its Content-Length"));
        }
        return -1;
    }

    private void waits(@Nullable Thread reader) throws IOException {
        lock.lock();
        try {
            waiting = reader;
            if (interrupted) {
                interrupted = false;
                Thread.interrupted(); // the handler is not to be interrupted where it does not read
            }
            if (abandoned) { // what has not come would look too short
                throw new IOException("the connection or the stream has ended in the middle of the content");
            }
        } finally {
            lock.unlock();
        }
    }
}
