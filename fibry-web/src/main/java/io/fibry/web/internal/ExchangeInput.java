package io.fibry.web.internal;

import io.fibry.internal.net.BlockInput;
import io.fibry.net.HttpProblem;
import io.helidon.common.buffers.DataReader;
import io.helidon.http.RequestException;
import io.helidon.webserver.ServerConnectionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The content of a request. It records since when its reader waits, and interrupts the reader when the connection or the
 * stream has ended, which Helidon does not do. The lock ensures that this interrupt does not reach a reader that no longer waits.
 */
final class ExchangeInput extends BlockInput {
    private final @Nullable Supplier<InputStream> source;
    private final WebConnection connection;
    /** An interrupt reaches the reader only while it waits. */
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable InputStream in;
    private boolean ended;
    private boolean broken;
    /** The time when the first byte was requested. Written by the reader, before {@link #waiting}. */
    private volatile long begunAt;
    /** The time when the reader began to wait for more bytes. Written by the reader, before {@link #waiting}. */
    private volatile long waitingSince;
    /** Written by the reader, under the lock. */
    private volatile @Nullable Thread waiting;
    /** Set by the end of the connection, under the lock. */
    private volatile boolean abandoned;
    /** Whether the reader was interrupted here. Guarded by the lock. */
    private boolean interrupted;

    /** Makes the content from a source, which is null if there is no content. */
    ExchangeInput(@Nullable Supplier<InputStream> source, WebConnection connection) {
        this.source = source;
        this.connection = connection;
        ended = source == null;
    }

    /** Tells whether nothing more can be read although the content has not ended. */
    boolean isBroken() {
        return broken;
    }

    boolean isTouched() {
        return in != null;
    }

    /** Tells whether a reader waits and nothing has come for too long, or the content has taken too long in all. */
    boolean isLate(long now, long silence, long total) {
        return waiting != null && (now - waitingSince > silence || now - begunAt > total);
    }

    void abandon() {
        lock.lock();
        try {
            abandoned = true;
            var reader = waiting;
            if (reader != null) {
                interrupted = true;
                reader.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reads up to the end. Returns false if there are more bytes than the given number, or if the end cannot be
     * reached.
     */
    boolean discard(int most) throws IOException {
        if (ended) {
            return true;
        }
        var bytes = new byte[8_192];
        var left = most;
        while (!ended && !broken && left > 0) {
            left -= Math.max(0, read(bytes, 0, bytes.length));
        }
        return ended && !broken;
    }

    @Override
    protected int readBlock(byte[] bytes, int offset, int length) throws IOException {
        if (ended) {
            return -1;
        }
        if (broken) {
            throw new IOException("the content broke off");
        }
        waitingSince = connection.now();
        if (begunAt == 0) {
            begunAt = waitingSince | 1;
        }
        waits(Thread.currentThread());
        try {
            var count = open().read(bytes, offset, length);
            if (abandoned) {
                throw new IOException("the connection or the stream has ended in the middle of the content");
            }
            ended = count < 0;
            return count;
        } catch (HttpProblem malformed) {
            broken = true;
            if (abandoned) { // what has not come looks too short
                throw new IOException("the connection or the stream has ended in the middle of the content",
                        malformed);
            }
            throw malformed;
        } catch (RequestException refused) {
            broken = true;
            throw new HttpProblem(refused.status().code(), "the content is too long, or not well formed",
                    refused);
        } catch (IOException | UncheckedIOException | ServerConnectionException
                | DataReader.InsufficientDataAvailableException | IllegalStateException e) {
            broken = true;
            throw e instanceof IOException known ? known : new IOException("the client has gone", e);
        } finally {
            waits(null);
        }
    }

    private void waits(@Nullable Thread reader) throws IOException {
        lock.lock();
        try {
            waiting = reader;
            if (interrupted) {
                interrupted = false;
                Thread.interrupted(); // the handler is not to be interrupted where it does not read
            }
            if (abandoned && reader != null) {
                throw new IOException("the connection or the stream has ended");
            }
        } finally {
            lock.unlock();
        }
    }

    private InputStream open() {
        if (in == null) {
            in = Objects.requireNonNull(source, "there is no content").get();
        }
        return in;
    }
}
