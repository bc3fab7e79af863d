package io.fibry.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.EscalatedException;
import io.fibry.FailurePolicy;
import io.fibry.event.Escalated;
import io.fibry.event.Failed;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

class ChildrenTest {
    private final Recorder recorder = new Recorder();

    private static void failOn(String wrong, String message) {
        if (message.equals(wrong)) {
            throw new IllegalStateException(message);
        }
    }

    /** A parent with two children, which tell of their ends. */
    private static Actor<String, Void> family(ActorScope scope, FailurePolicy ofParent,
            FailurePolicy ofChildren,
            List<String> ends) {
        return scope.named("parent").onFailure(ofParent).onExit(() -> ends.add("parent"))
                .newActorFrom(context -> {
                    for (var name : List.of("elder", "younger")) {
                        context.child(name).onFailure(ofChildren).onExit(() -> ends.add(name))
                                .newActor((String message) -> failOn("fail", message));
                    }
                    return message -> failOn("fail", message);
                });
    }

    @Promise("19.8")
    @EveryStrategy
    void childrenStopBeforeTheirParentTheYoungestFirst(Strategy strategy) throws Exception {
        for (int way = 0; way < 4; way++) {
            var ends = new CopyOnWriteArrayList<String>();
            try (var scope = Scopes.on(strategy, recorder)) {
                var parent = family(scope, FailurePolicy.stop(), FailurePolicy.resume(), ends);
                parent.execAndWait(() -> {
                });
                switch (way) {
                    case 0 -> parent.askExit();
                    case 1 -> parent.sendMessage("fail");
                    case 2 -> parent.close();
                    default -> scope.stop(Duration.ofSeconds(20));
                }
                parent.waitForExit();
                assertThat(ends).containsExactly("younger", "elder", "parent");
                assertThat(scope.<String, Void>find(ActorName.of("elder"))).isEmpty();
            }
        }
    }

    @Promise({"19.8", "19.1"})
    @EveryStrategy
    void childrenStopWhenTheirParentIsRestarted(Strategy strategy) throws Exception {
        var ends = new CopyOnWriteArrayList<String>();
        try (var scope = Scopes.on(strategy, recorder)) {
            var parent = family(scope, FailurePolicy.restart(), FailurePolicy.resume(), ends);
            parent.execAndWait(() -> {
            });
            var before = scope.<String, Void>find(ActorName.of("elder")).orElseThrow();
            parent.sendMessage("fail");
            parent.execAndWait(() -> {
            });
            assertThat(ends).containsExactly("younger", "elder");
            assertThat(before.state()).isEqualTo(ActorState.STOPPED);
            assertThat(scope.<String, Void>find(ActorName.of("elder"))).isPresent().get().isNotSameAs(before);
        }
    }

    @Promise("19.9")
    @EveryStrategy
    void anEscalatedFailureIsDecidedByTheParentsPolicy(Strategy strategy) throws Exception {
        var ends = new CopyOnWriteArrayList<String>();
        try (var scope = Scopes.on(strategy, recorder)) {
            var policy = FailurePolicy.when(EscalatedException.class, FailurePolicy.stop())
                    .otherwise(FailurePolicy.resume());
            var parent = family(scope, policy, FailurePolicy.escalate(), ends);
            parent.execAndWait(() -> {
            });
            scope.<String, Void>find(ActorName.of("elder")).orElseThrow().sendMessage("fail");
            parent.waitForExit();
            assertThat(ends).containsExactly("elder", "younger", "parent");
            assertThat(recorder.only(Failed.class).actor()).isEqualTo("elder");
            var escalated = recorder.only(Escalated.class);
            assertThat(escalated.parent()).isEqualTo(Optional.of("parent"));
            assertThat(escalated.cause()).hasMessage("fail");
            assertThat(recorder.of(Stopped.class).getLast()).isEqualTo(new Stopped("parent", Reason.FAILURE));
        }
    }

    @Promise("19.9")
    @EveryStrategy
    void aChildThatIsRestartedTooOftenMakesItsParentRestart(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var made = new AtomicInteger();
            Actor<String, Void> parent = scope.anonymous().onFailure(FailurePolicy.restart())
                    .newActorFrom(context -> {
                        made.incrementAndGet();
                        context.child("child").onFailure(FailurePolicy.restart(1, Duration.ofMinutes(1)))
                                .newActor((String message) -> failOn("fail", message));
                        return message -> {
                        };
                    });
            parent.execAndWait(() -> {
            });
            var child = scope.<String, Void>find(ActorName.of("child")).orElseThrow();
            child.sendMessage("fail");
            child.sendMessage("fail");
            child.waitForExit();
            Waits.until("the parent's restart", () -> made.get() == 2);
            parent.execAndWait(() -> {
            });
            assertThat(scope.<String, Void>find(ActorName.of("child"))).isPresent().get().isNotSameAs(child);
        }
    }

    /** The parent stops while a child waits for its answer, and while it runs on top of the child. */
    @Promise({"19.8", "9.6"})
    @EveryStrategy
    void aChildThatWaitsForItsParentDoesNotHoldUpTheEnd(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            Actor<String, String> parent = scope.anonymous().onFailure(FailurePolicy.stop())
                    .newActorWithReturnFrom(context -> {
                        context.child("child").newActor((String message) -> {
                            context.self().sendMessageReturn("fail").get();
                        });
                        return message -> {
                            failOn("fail", message);
                            return message;
                        };
                    });
            parent.execAndWait(() -> {
            });
            var child = scope.<String, Void>find(ActorName.of("child")).orElseThrow();
            child.sendMessage("ask");
            assertThat(parent.waitForExit(Patience.LIMIT)).isTrue();
            assertThat(child.state()).isEqualTo(ActorState.STOPPED);
        }
    }

    @Promise({"19.8", "9.6"})
    @EveryStrategy
    void aChildThatClosesItsParentOrTheScopeDoesNotWaitForItself(Strategy strategy) throws Exception {
        for (var closesScope : new boolean[]{false, true}) {
            try (var scope = Scopes.on(strategy, recorder)) {
                var returned = new CompletableFuture<Void>();
                Actor<String, Void> parent = scope.anonymous().newActorFrom(context -> {
                    context.child("child").newActor((String message) -> {
                        if (closesScope) {
                            scope.stop(Duration.ofSeconds(20));
                        } else {
                            context.self().close();
                        }
                        returned.complete(null);
                    });
                    return message -> {
                    };
                });
                parent.execAndWait(() -> {
                });
                scope.<String, Void>find(ActorName.of("child")).orElseThrow().sendMessage("close");
                Waits.on(returned);
                assertThat(parent.waitForExit(Patience.LIMIT)).isTrue();
            }
        }
    }
}
