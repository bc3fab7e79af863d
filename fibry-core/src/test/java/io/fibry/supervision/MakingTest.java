package io.fibry.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorExecutor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.ScopeLimits;
import io.fibry.event.ActorEvent;
import io.fibry.event.Failed;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Actors that cannot be made, and children of actors that end. */
class MakingTest {

    private final Recorder recorder = new Recorder();

    /** The ways of making an actor that take a step of their own. */
    private enum Form {
        PLAIN {
            @Override
            Actor<?, ?> make(ActorBuilder builder) {
                return builder.newActor((Integer n) -> {
                });
            }
        },
        FACTORY {
            @Override
            Actor<?, ?> make(ActorBuilder builder) {
                return builder.<Integer>newActorFrom(context -> n -> {
                });
            }
        },
        BODY {
            @Override
            Actor<?, ?> make(ActorBuilder builder) {
                return builder.<Integer>newReceivingActor(context -> {
                });
            }
        },
        IDLE_STOP {
            @Override
            Actor<?, ?> make(ActorBuilder builder) {
                return PLAIN.make(builder.stopWhenIdle(Duration.ofHours(1)));
            }
        },
        STATE {
            @Override
            Actor<?, ?> make(ActorBuilder builder) {
                return builder.state(() -> "state").newActor((String state, Integer n) -> {
                });
            }
        };

        abstract Actor<?, ?> make(ActorBuilder builder);
    }

    /** What is in the way: done by the strategy while the actor is made, or before. */
    private enum Trouble {
        NAME_IS_TAKEN, SCOPE_IS_CLOSED, SCOPE_CLOSES_MEANWHILE, NO_EXECUTOR, STRATEGY_THROWS, PARENT_ENDS_MEANWHILE
    }

    static Stream<Arguments> troubles() {
        var all = new ArrayList<Arguments>();
        for (var trouble : Trouble.values()) {
            for (var form : Form.values()) {
                all.add(Arguments.of(trouble, form));
            }
        }
        return all.stream();
    }

    @Promise("19.15")
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("troubles")
    void whatCannotBeMadeOwnsNothing(Trouble trouble, Form form) throws Exception {
        var hooks = new AtomicInteger();
        var given = new AtomicInteger();
        var givenBack = new AtomicInteger();
        var during = new AtomicReference<Runnable>(() -> {
        });
        CreationStrategy strategy = name -> {
            during.get().run();
            if (trouble == Trouble.NO_EXECUTOR) {
                return null;
            }
            given.incrementAndGet();
            return new ActorExecutor() {
                @Override
                public void execute(Runnable turn) {
                    turn.run();
                }

                @Override
                public void actorStopped() {
                    givenBack.incrementAndGet();
                }
            };
        };
        try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.fibers()).listener(recorder)
                .open()) {
            ActorBuilder builder = scope.named("tom");
            switch (trouble) {
                case NAME_IS_TAKEN -> scope.named("tom").newActor((Integer n) -> {
                });
                case SCOPE_IS_CLOSED -> closeNow(scope);
                case SCOPE_CLOSES_MEANWHILE -> {
                    assertThat(scope.sendOrKeep(ActorName.of("tom"), "kept", 1)).isTrue();
                    during.set(scope::close);
                }
                case STRATEGY_THROWS -> during.set(() -> {
                    throw new IllegalStateException("as wanted");
                });
                case PARENT_ENDS_MEANWHILE -> {
                    var context = new AtomicReference<ActorContext<Integer, Void>>();
                    var made = new AtomicReference<ActorBuilder>();
                    var parent = scope.named("parent").<Integer>newActor((inside, n) -> {
                        made.set(inside.child("tom"));
                        context.set(inside);
                    });
                    Waits.on(parent.sendMessageReturn(1));
                    builder = made.get();
                    during.set(parent::close);
                }
                case NO_EXECUTOR -> {
                }
            }
            var before = recorder.of(Started.class).size();
            var stoppedBefore = recorder.of(Stopped.class).size();
            var mine = builder.strategy(strategy).onExit(hooks::incrementAndGet);
            assertThatThrownBy(() -> form.make(mine)).isInstanceOf(
                    trouble == Trouble.NO_EXECUTOR ? NullPointerException.class : RuntimeException.class);
            scope.stop(Duration.ofSeconds(20));
            assertThat(hooks).as("hooks of an actor that nobody has").hasValue(0);
            var others = trouble == Trouble.PARENT_ENDS_MEANWHILE ? "parent" : "tom";
            assertThat(recorder.of(Started.class)).hasSize(before);
            assertThat(recorder.of(Stopped.class)).hasSize(switch (trouble) {
                case NAME_IS_TAKEN, PARENT_ENDS_MEANWHILE -> stoppedBefore + 1; // not the one that was not made
                default -> stoppedBefore;
            }).allMatch(stopped -> stopped.actor().equals(others));
            assertThat(recorder.of(Failed.class)).isEmpty();
            assertThat(givenBack).hasValue(given.get());
            Waits.left(scope);
        }
    }

    @Promise({"19.15", "4.1"})
    @Test
    void whatWasKeptForOneThatIsNotMadeIsTold() throws Exception {
        var hooks = new AtomicInteger();
        var scope = ActorSystem.configure("test").listener(recorder).open();
        assertThat(scope.sendOrKeep(ActorName.of("tom"), "kept", 1)).isTrue();
        CreationStrategy closes = name -> {
            scope.close();
            return Runnable::run;
        };
        assertThatThrownBy(() -> scope.named("tom").strategy(closes).onExit(hooks::incrementAndGet)
                .newActor((String message) -> {
                })).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
        assertThat(recorder.only(Undelivered.class).message()).isEqualTo("kept");
        assertThat(scope.counters().undelivered()).isEqualTo(1);
        assertThat(recorder.of(Stopped.class)).isEmpty();
        assertThat(hooks).hasValue(0);
    }

    /** Of each actor that was made, whatever then becomes of it, the beginning is told before the end. */
    @Promise("19.15")
    @EveryStrategy
    void whoseBeginningIsToldHasAnEndAndTheOtherWayRound(Strategy strategy) throws Exception {
        var lives = new CopyOnWriteArrayList<ActorEvent>();
        for (int round = 0; round < 30; round++) {
            lives.clear();
            var hooks = new AtomicInteger();
            var made = new AtomicInteger();
            try (var scope = Scopes.on(strategy, lives::add)) {
                var maker = Thread.startVirtualThread(() -> {
                    for (int n = 0; n < 10; n++) {
                        try {
                            scope.named("a" + n).onExit(hooks::incrementAndGet).newActor((Integer m) -> {
                            });
                            made.incrementAndGet();
                        } catch (IllegalStateException closed) {
                            return;
                        }
                    }
                });
                var finder = Thread.startVirtualThread(() -> {
                    for (int n = 0; n < 10; n++) {
                        scope.find(ActorName.of("a" + n)).ifPresent(Actor::askExit);
                    }
                });
                for (int pauses = round; pauses > 0; pauses--) {
                    Thread.yield();
                }
                closeNow(scope);
                Waits.on(maker);
                Waits.on(finder);
            }
            assertThat(hooks).hasValue(made.get());
            var started = lives.stream().filter(Started.class::isInstance).toList();
            assertThat(started).hasSize(made.get());
            for (var event : started) {
                var name = ((Started) event).actor();
                assertThat(lives.stream().filter(
                        other -> (other instanceof Started one && one.actor().equals(name))
                                || (other instanceof Stopped end && end.actor().equals(name)))
                        .map(Object::getClass).toList())
                        .isEqualTo(List.of(Started.class, Stopped.class));
            }
        }
    }

    @Promise("19.15")
    @EveryStrategy
    void aListenerThatWaitsForTheActorItHearsOfIsToldThatItWaitsForItself(Strategy strategy) {
        var heard = new CopyOnWriteArrayList<Throwable>();
        var scopes = new AtomicReference<ActorScope>();
        try (var scope = Scopes.on(strategy, event -> {
            if (event instanceof Started started) {
                var actor = scopes.get().<Integer, Integer>find(ActorName.of(started.actor())).orElseThrow();
                try {
                    actor.waitForExit(Duration.ofMinutes(1));
                } catch (IllegalStateException atOnce) {
                    heard.add(atOnce);
                }
                scopes.get().stop(Duration.ofMinutes(1));
            }
        })) {
            scopes.set(scope);
            var actor = scope.named("tom").newActorWithReturn((Integer n) -> n);
            Waits.stopped(actor);
            assertThat(heard).hasSize(1);
        }
    }

    // ---- Children. ----

    /** A parent that never had a child, and keeps what it could make one with. */
    private static Actor<Integer, Void> parent(ActorScope scope,
            AtomicReference<ActorContext<Integer, Void>> kept,
            AtomicReference<ActorBuilder> builder, Function<ActorContext<Integer, Void>, ?> atExit) {
        return scope.named("parent").onExit(() -> atExit.apply(kept.get())).newActor((context, n) -> {
            kept.set(context);
            builder.set(context.child("orphan"));
        });
    }

    @Promise("19.15")
    @EveryStrategy
    void anActorThatEndsGetsNoChild(Strategy strategy) throws Exception {
        var scope = Scopes.on(strategy, recorder);
        var kept = new AtomicReference<ActorContext<Integer, Void>>();
        var builder = new AtomicReference<ActorBuilder>();
        var refused = new CopyOnWriteArrayList<String>();
        var parent = parent(scope, kept, builder, context -> {
            for (var making : List.<Runnable>of(
                    () -> context.child("orphan").newActor((Integer n) -> {
                    }),
                    () -> builder.get().newActor((Integer n) -> {
                    }),
                    () -> context.child().<Integer>newReceivingActor(own -> {
                    }))) {
                try {
                    making.run();
                } catch (IllegalStateException expected) {
                    refused.add(expected.getMessage());
                }
            }
            return null;
        });
        Waits.on(parent.execFuture(() -> 1));
        parent.sendMessage(1);
        parent.close();
        assertThat(refused).hasSize(3).allMatch(text -> text.contains("'parent' has begun to end"));
        assertThatThrownBy(() -> builder.get().newActor((Integer n) -> {
        })).isInstanceOf(IllegalStateException.class).hasMessageContaining("'parent' has begun to end");
        assertThatThrownBy(() -> kept.get().child("orphan")).isInstanceOf(IllegalStateException.class);
        assertThat(scope.find(ActorName.of("orphan"))).isEmpty();
        assertThat(scope.stop(Patience.LIMIT).forced()).isFalse();
        assertThat(recorder.of(Failed.class)).isEmpty();
        assertThat(recorder.of(Started.class)).hasSize(1);
    }

    /** The parent is being closed while others make its children with a builder that it has given away. */
    @Promise("19.15")
    @EveryStrategy
    void childrenThatAreMadeBesideTheEndStopWithTheirParentOrAreRefused(Strategy strategy) throws Exception {
        for (int round = 0; round < 50; round++) {
            var scope = Scopes.on(strategy);
            var kept = new AtomicReference<ActorContext<Integer, Void>>();
            var builder = new AtomicReference<ActorBuilder>();
            var parent = parent(scope, kept, builder, context -> null);
            parent.sendMessage(1);
            Waits.on(parent.execFuture(() -> 1));
            var hooks = new AtomicInteger();
            var child = new AtomicReference<Actor<?, ?>>();
            var maker = Thread.startVirtualThread(() -> {
                try {
                    child.set(builder.get().onExit(hooks::incrementAndGet).newActor((Integer n) -> {
                    }));
                } catch (IllegalStateException refused) {
                    // it came too late
                }
            });
            for (int pauses = round % 10; pauses > 0; pauses--) {
                Thread.yield();
            }
            parent.close();
            Waits.on(maker);
            var made = child.get();
            if (made != null) {
                Waits.stopped(made);
            }
            assertThat(hooks).hasValue(made == null ? 0 : 1);
            assertThat(scope.stop(Patience.LIMIT).forced()).isFalse();
        }
    }

    /** A watch that an exit hook begins would be of no use, and stay. */
    @Promise("13.1")
    @EveryStrategy
    void anExitHookLeavesNoWatchBehind(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy, recorder)) {
            var other = scope.named("other").newActor((Integer n) -> {
            });
            var kept = new AtomicReference<ActorContext<Integer, Void>>();
            var parent = parent(scope, kept, new AtomicReference<>(), context -> {
                context.watch(other, how -> 1);
                return null;
            });
            parent.sendMessage(1);
            parent.close();
            other.close();
            assertThat(recorder.of(Failed.class)).isEmpty();
            assertThat(recorder.of(Undelivered.class)).isEmpty();
        }
    }

    @Promise("19.1")
    @EveryStrategy
    void aScopeWithLimitsPausesBeforeRestarts(Strategy strategy) throws Exception {
        var tries = new AtomicInteger();
        try (var scope = ActorSystem.configure("test").strategy(strategy.create()).listener(recorder)
                .limits(ScopeLimits.none().waiting(100)).open()) {
            var policy = FailurePolicy.restart(1_000_000, Duration.ofHours(1))
                    .withBackoff(Duration.ofHours(1), Duration.ofHours(1), 0);
            var actor = scope.named("never").onFailure(policy).<Integer>newActorFrom(context -> {
                tries.incrementAndGet();
                throw new IllegalStateException("as wanted");
            });
            recorder.await(Failed.class, 1);
            Waits.until("the pause", () -> EngineProbe.pendingTimers() > 0);
            assertThat(tries).hasValue(1);
            actor.askExit();
            Waits.stopped(actor);
        }
    }

    /** Closes a scope before the end of its block. */
    private static void closeNow(ActorScope scope) {
        scope.close();
    }
}
