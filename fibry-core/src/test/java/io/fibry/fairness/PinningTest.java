package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.BugClass;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;

/** The engine waits in no place where a virtual thread cannot let go of its carrier. */
@BugClass(31)
class PinningTest {
    private static final int ROUNDS = 500;

    @Test
    void noFiberIsPinned() throws Exception {
        var file = Files.createTempFile("pinned", ".jfr");
        try (var recording = new Recording()) {
            try (var scope = Scopes.configure().strategy(CreationStrategy.fibers()).open()) {
                waitInAllWays(scope); // who waits for a class that another thread loads is pinned too
            }
            recording.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ZERO);
            recording.start();
            try (var scope = Scopes.configure().strategy(CreationStrategy.fibers()).open()) {
                waitInAllWays(scope);
            }
            recording.stop();
            recording.dump(file);
            assertThat(RecordingFile.readAllEvents(file))
                    .extracting(event -> String.valueOf(event.getStackTrace()))
                    .filteredOn(
                            stack -> stack.contains("io.fibry.internal") && !stack.contains("ClassLoader"))
                    .isEmpty();
        } finally {
            Files.delete(file);
        }
    }

    private static void waitInAllWays(ActorScope scope) throws Exception {
        var slow = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                .newActorWithReturn((Integer n) -> {
                    Thread.sleep(0, 1_000);
                    return n;
                });
        var asker = scope.anonymous().newActorWithReturn((Integer n) -> slow.apply(n));
        var timedAsker = scope.anonymous()
                .newActorWithReturn((Integer n) -> slow.ask(n, Duration.ofSeconds(20)).get());
        var receiver = scope.anonymous().<Integer>newReceivingActor(
                (context, n) -> context.receive(i -> true, Duration.ofNanos(10_000)));
        var answers = new ArrayList<CompletableFuture<Integer>>();
        for (int n = 0; n < ROUNDS; n++) {
            answers.add(asker.sendMessageReturn(n));
            answers.add(timedAsker.sendMessageReturn(n));
            receiver.sendMessage(n);
            scope.named("short-lived").newActor((Integer i) -> slow.sendMessage(i)).close();
        }
        for (var answer : answers) {
            Waits.on(answer);
        }
    }
}
