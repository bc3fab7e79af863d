package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.net.HttpOptions;
import io.fibry.testing.Promise;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Who reads slowly is not cut off, who does not read is: by a clock that is moved by hand. */
@Promise("14.4")
class HttpOutputTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private final ManualTime time = new ManualTime();

    private HttpTraffic traffic(ActorScope scope) {
        var traffic = new HttpTraffic(scope.anonymous().strategy(CreationStrategy.fibers()), time,
                HttpOptions.localPort(0).requests(10).writeLimit(LIMIT));
        traffic.startSweeping();
        return traffic;
    }

    @Test
    void eachPieceHasTheWholeLimit() throws Exception {
        var cut = new AtomicBoolean();
        var written = new CompletableFuture<Integer>();
        try (var scope = ActorSystem.open("test")) {
            var traffic = traffic(scope);
            var slow = new OutputStream() {
                int bytes;

                @Override
                public void write(int b) {
                    bytes++;
                }

                @Override
                public void write(byte[] piece, int offset, int length) {
                    time.advance(LIMIT);
                    bytes += length;
                }
            };
            traffic.execute(() -> {
                var work = traffic.work();
                try {
                    new HttpOutput(slow, traffic, work).write(new byte[1_000_000]);
                } catch (IOException impossible) {
                    throw new AssertionError(impossible);
                }
                cut.set(work.isCut());
                written.complete(slow.bytes);
            });
            assertThat(written.get()).isEqualTo(1_000_000);
            assertThat(cut).isFalse();
            traffic.stopSweeping();
        }
        assertThat(time.pending()).isZero();
    }

    @Test
    void aWriteThatLastsLongerIsInterrupted() throws Exception {
        var writing = new CountDownLatch(1);
        var interrupted = new CompletableFuture<Boolean>();
        try (var scope = ActorSystem.open("test")) {
            var traffic = traffic(scope);
            traffic.execute(() -> {
                var work = traffic.work();
                try {
                    new HttpOutput(OutputStream.nullOutputStream(), traffic, work).watch(() -> {
                        writing.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.complete(work.isCut());
                        }
                    });
                } catch (IOException impossible) {
                    throw new AssertionError(impossible);
                }
            });
            writing.await();
            time.advance(LIMIT);
            assertThat(interrupted).isNotDone();
            time.advance(LIMIT.dividedBy(2));
            assertThat(interrupted.get()).isTrue();
            await().until(() -> traffic.size() == 0);
            traffic.stopSweeping();
        }
    }
}
