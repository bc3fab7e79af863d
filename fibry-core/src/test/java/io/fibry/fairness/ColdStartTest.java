package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.Child;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In a process that has just begun, too, a receiver starts promptly whose sender then computes or blocks. */
class ColdStartTest {
    /** Loading and linking what looks at lanes takes longer than a receiver may wait: so it waits for none of that. */
    @Promise("7.1")
    @Test
    void theFirstMessagesDoNotWaitForALook() throws Exception {
        var time = new ManualTime();
        try (var scope = ActorSystem.configure("cold")
                .strategy(EngineProbe.coldLanesOn(task -> Thread.ofVirtual().start(task), time)).open()) {
            Actor<CompletableFuture<Boolean>, Void> receiver = scope.anonymous()
                    .newActor((CompletableFuture<Boolean> started) -> started.complete(true));
            var sender = scope.anonymous().newActor((CompletableFuture<Boolean> started) -> {
                receiver.sendMessage(started);
                started.join();
            });
            for (int i = 0; i < 10; i++) {
                var started = new CompletableFuture<Boolean>();
                sender.sendMessage(started);
                Waits.on(started); // though no time passes
                sender.execAndWait(() -> {
                });
                Patience.spin("idle", () -> receiver.state() == ActorState.IDLE);
            }
            assertThat(time.pending()).as("the rehearsal is waiting to be run, once").isEqualTo(1);
            time.advance(Duration.ofMillis(100));
            assertThat(time.pending()).as("no wake-up is planned").isZero();
            var started = new CompletableFuture<Boolean>();
            var sent = new CompletableFuture<Boolean>();
            scope.anonymous().newActor((String message) -> {
                receiver.sendMessage(started);
                sent.complete(true);
                started.join();
            }).sendMessage("send");
            Waits.on(sent);
            assertThat(started).as("from now on it is for the monitor").isNotDone();
            time.advance(Duration.ofMillis(2));
            Waits.on(started);
        }
    }

    /** What is slow in a new process is loading. After the first message none is left to do. */
    @Promise("7.1")
    @ParameterizedTest
    @ValueSource(strings = {"computes", "sleeps"})
    void nothingIsLoadedOnTheWayOfTheOthers(String next) throws Exception {
        var lines = Child.run(Cold.class, List.of("-Xlog:class+load:stdout:none"), next).lines().toList();
        var onTheWay = new ArrayList<String>();
        var sent = 0;
        var isOnTheWay = false;
        for (var line : lines) {
            if (line.equals(Cold.SENDS)) {
                isOnTheWay = ++sent > 1;
            } else if (line.equals(Cold.STARTED)) {
                isOnTheWay = false;
            } else if (isOnTheWay && isOurs(line)) {
                onTheWay.add(line);
            }
        }
        assertThat(sent).isEqualTo(Cold.MESSAGES);
        assertThat(onTheWay).isEmpty();
    }

    /** Our classes, and what is made for our lambdas and field access. */
    private static boolean isOurs(String line) {
        return line.contains("fibry") || line.contains("java.lang.invoke") || line.contains("ClassValue");
    }

    static final class Cold {
        static final String SENDS = "sends";
        static final String STARTED = "started";
        static final int MESSAGES = 8;

        private static volatile boolean started;

        public static void main(String[] arguments) throws Exception {
            var sleeps = arguments[0].equals("sleeps");
            Actor<String, Void> receiver = ActorSystem.anonymous().newActor((String message) -> {
                System.out.println(STARTED);
                started = true;
            });
            var sender = ActorSystem.anonymous().newActorWithReturn((Integer number) -> {
                if (sleeps) {
                    Thread.sleep(1); // what the JDK loads for that is not ours
                }
                started = false;
                System.out.println(SENDS);
                receiver.sendMessage("start");
                while (!started) {
                    if (sleeps) {
                        Thread.sleep(1);
                    } else {
                        Thread.onSpinWait();
                    }
                }
                return number;
            });
            for (int i = 0; i < MESSAGES; i++) {
                sender.sendMessageReturn(i).get();
                while (areOthersThere()) { // what they do for the first time is not on the way of the next message
                    Thread.sleep(1);
                }
            }
        }

        /** Includes the timer thread while it rehearses: it has the name of an actor then. */
        private static boolean areOthersThere() {
            return Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().startsWith("fibry"));
        }
    }
}
