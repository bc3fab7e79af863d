package io.fibry.internal.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.Patience;
import io.fibry.testing.Recorder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DropOldestMeetsPillTest {
    @Test
    void aSenderDoesNotWaitForTheHandlerWhenOnlyAPillCouldBeDropped() throws Exception {
        var handling = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        try (var scope = ActorSystem.configure("pills").listener(new Recorder()).open()) {
            var actor = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest()))
                    .newActor((String message) -> {
                        handling.countDown();
                        end.await();
                    });
            actor.sendMessage("stay");
            handling.await();
            actor.sendPoisonPill();
            var sent = CompletableFuture.supplyAsync(() -> actor.sendMessage("one more"));
            try {
                assertThat(sent.get(Patience.MILLIS, TimeUnit.MILLISECONDS)).isFalse();
            } finally {
                end.countDown();
            }
            actor.waitForExit();
            assertThat(actor.counters().total()).isEqualTo(2);
        }
    }
}
