package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.MailboxFullException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.event.ActorEvent;
import io.fibry.event.Undelivered;
import io.fibry.testing.BugClass;
import io.fibry.testing.Child;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
@BugClass(5)
class SlowConsumerTest {
    @ParameterizedTest
    @ValueSource(strings = {"block", "blockShortly", "dropNewest", "dropOldest", "reject", "fail"})
    void aFloodOfFourTimesTheHeapIsBoundedAndReported(String policy) throws Exception {
        var printed = Child.run(Flood.class, List.of("-Xmx64m", "-XX:+ExitOnOutOfMemoryError"), policy);

        assertThat(printed).contains("lost and told are equal");
    }

    /** Sends 256 MiB to an actor that handles little of it, in a heap of 64 MiB. */
    static final class Flood {
        private static final int MESSAGES = 4_096;
        private static final int MESSAGE_BYTES = 64 << 10;

        private final LongAdder told = new LongAdder();
        private final CountDownLatch handling = new CountDownLatch(1);
        private final CountDownLatch flooded = new CountDownLatch(1);

        public static void main(String[] arguments) throws Exception {
            new Flood().run(switch (arguments[0]) {
                case "block" -> OverflowPolicy.block();
                case "blockShortly" -> OverflowPolicy.block(Duration.ofNanos(1));
                case "dropNewest" -> OverflowPolicy.dropNewest();
                case "dropOldest" -> OverflowPolicy.dropOldest();
                case "reject" -> OverflowPolicy.reject();
                default -> OverflowPolicy.fail();
            });
        }

        private void run(OverflowPolicy policy) throws InterruptedException {
            var patient = policy.equals(OverflowPolicy.block());
            var scope = ActorSystem.configure("flood").listener(this::hear).open();
            try (scope) {
                var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(100, policy))
                        .newActor((byte[] message) -> {
                            handling.countDown();
                            if (patient) {
                                LockSupport.parkNanos(10_000);
                            } else {
                                flooded.await();
                            }
                        });
                for (int i = 0; i < MESSAGES; i++) {
                    try {
                        actor.sendMessage(new byte[MESSAGE_BYTES]);
                    } catch (MailboxFullException full) {
                        assertThat(policy).isEqualTo(OverflowPolicy.fail());
                    }
                    if (i == 0) {
                        Waits.on(handling); // so that it is known how many are handled
                    }
                }
                flooded.countDown();
            }
            var counters = scope.counters();
            assertThat(counters.total()).isEqualTo(MESSAGES);
            assertThat(counters.handled()).isEqualTo(patient ? MESSAGES : 101);
            assertThat(counters.dropped() + counters.refused()).isEqualTo(told.sum());
            System.out.println("lost and told are equal: " + told);
        }

        private void hear(ActorEvent event) {
            if (event instanceof Undelivered) {
                told.increment();
            }
        }
    }
}
