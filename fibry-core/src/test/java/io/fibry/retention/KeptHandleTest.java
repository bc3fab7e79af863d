package io.fibry.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.Lifetime;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.Stereotypes;
import io.fibry.event.Stopped;
import io.fibry.function.Handler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Who keeps the handle of an actor that has stopped keeps nothing else of it. */
class KeptHandleTest {
    /** What the user's code refers to. */
    private static final class Capture implements AutoCloseable {
        void use() {
        }

        @Override
        public void close() {
        }
    }

    /** Makes an actor whose code refers to the capture, and lets it work; it may have stopped already. */
    private interface Shape {
        Actor<?, ?> make(ActorScope scope, ActorBuilder builder, Capture capture) throws Exception;
    }

    private static <M, R> Actor<M, R> used(Actor<M, R> actor, M message) throws Exception {
        actor.sendMessage(message);
        Waits.on(actor.execFuture(() -> "all before is handled"));
        return actor;
    }

    private static Map<String, Shape> shapes() {
        var shapes = new LinkedHashMap<String, Shape>();
        shapes.put("handler", (scope, builder, capture) -> used(
                builder.<Integer>newActor((Integer n) -> capture.use()), 1));
        shapes.put("never used", (scope, builder, capture) -> builder
                .<Integer>newActor((Integer n) -> capture.use()));
        shapes.put("bounded", (scope, builder, capture) -> used(builder
                .mailbox(MailboxPolicy.bounded(4, OverflowPolicy.block()))
                .<Integer, Integer>newActorWithReturn((Integer n) -> {
                    capture.use();
                    return n;
                }), 1));
        shapes.put("state", (scope, builder, capture) -> used(builder.state(() -> capture)
                .newActor((Capture state, Integer n) -> state.use()), 1));
        shapes.put("state's maker", (scope, builder, capture) -> used(builder.state(() -> {
            capture.use();
            return "state";
        }).newActor((String state, Integer n) -> {
        }), 1));
        shapes.put("factory", (scope, builder, capture) -> used(builder.newActorFrom(context -> {
            capture.use();
            return (Integer n) -> {
            };
        }), 1));
        shapes.put("what a factory makes", (scope, builder, capture) -> used(
                builder.<Integer>newActorFrom(context -> new Closing(capture)), 1));
        shapes.put("receiving", (scope, builder, capture) -> used(
                builder.<Integer>newReceivingActor((context, n) -> capture.use()), 1));
        for (var mailbox : List.of(MailboxPolicy.unbounded(),
                MailboxPolicy.bounded(4, OverflowPolicy.block()))) {
            shapes.put("body " + mailbox, (scope, builder, capture) -> {
                Actor<Integer, Void> actor = builder.mailbox(mailbox).newReceivingActor(context -> {
                    capture.use();
                    context.receive();
                });
                actor.sendMessage(1);
                actor.waitForExit();
                return actor;
            });
        }
        shapes.put("exit hook", (scope, builder, capture) -> used(builder.onExit(capture::use)
                .<Integer>newActor((Integer n) -> {
                }), 1));
        shapes.put("resource", (scope, builder, capture) -> used(builder
                .<Integer>newActor((Integer n) -> {
                }).closeOnExit(capture), 1));
        shapes.put("restarted", (scope, builder, capture) -> used(builder.onFailure(FailurePolicy.restart())
                .<Integer>newActor((Integer n) -> {
                    throw new Failure(capture);
                }), 1));
        shapes.put("timers", (scope, builder, capture) -> used(builder.<Object>newActor((context, n) -> {
            context.timers().fixedDelay(capture, Duration.ofHours(1), capture);
            context.timers().once("other", Duration.ofHours(1), capture);
        }), (Object) 1));
        shapes.put("watch", (scope, builder, capture) -> {
            var other = scope.anonymous().newActor((Integer n) -> {
            });
            var actor = used(builder.<Integer>newActor((context, n) -> context.watch(other, how -> {
                capture.use();
                return 2;
            })), 1);
            return actor;
        });
        shapes.put("stops when idle",
                (scope, builder, capture) -> used(builder.stopWhenIdle(Duration.ofHours(1))
                        .<Integer>newActor((Integer n) -> capture.use()), 1));
        shapes.put("failed", (scope, builder, capture) -> {
            var actor = builder.onFailure(FailurePolicy.escalate()).<Integer>newActor((Integer n) -> {
                throw new Failure(capture);
            });
            actor.sendMessage(1);
            actor.waitForExit();
            return actor;
        });
        shapes.put("child", (scope, builder, capture) -> {
            var child = new AtomicReference<Actor<?, ?>>();
            var parent = used(builder.<Integer>newActor((context, n) -> child.set(context.child()
                    .newActor((Integer m) -> capture.use()))), 1);
            parent.close();
            return child.get();
        });
        shapes.put("parent",
                (scope, builder, capture) -> used(builder.<Integer>newActor((context, n) -> context
                        .child().newActor((Integer m) -> capture.use())), 1));
        shapes.put("worker's master", (scope, builder, capture) -> used(Stereotypes.with(builder)
                .<Integer>workers(n -> capture.use()), 1));
        shapes.put("group", (scope, builder, capture) -> {
            var group = builder.newGroup(GroupPolicy.oneForOne());
            group.add("member", Lifetime.PERMANENT, member -> {
                capture.use();
                return member.newActor((Integer n) -> {
                });
            });
            return group.actor();
        });
        shapes.put("member of a group", (scope, builder, capture) -> {
            var started = new AtomicReference<Actor<?, ?>>();
            var group = builder.newGroup(GroupPolicy.oneForOne());
            group.add("other", Lifetime.PERMANENT, member -> {
                var actor = member.newActor((Integer n) -> capture.use());
                started.set(actor);
                return actor;
            });
            group.close();
            return started.get();
        });
        shapes.put("key", (scope, builder, capture) -> {
            var keyed = builder.<Integer, Integer>keyed(n -> n).idle(Duration.ofHours(1))
                    .newActorsFrom(key -> (context, n) -> capture.use());
            keyed.sendMessage(1);
            var actor = keyed.find(1).orElseThrow();
            keyed.close();
            return actor;
        });
        return shapes;
    }

    private record Closing(Capture capture) implements Handler<Integer>, AutoCloseable {
        @Override
        public void handle(Integer message) {
            capture.use();
        }

        @Override
        public void close() {
            capture.close();
        }
    }

    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Capture capture;

        Failure(Capture capture) {
            super("as the test wants it", null, false, false);
            this.capture = capture;
        }

        @Override
        public String toString() {
            capture.use();
            return "Failure";
        }
    }

    private record Kept(String shape, Object handle, WeakReference<Capture> capture) {
    }

    private static Kept stopped(String name, Shape shape, ActorScope scope, ActorBuilder builder)
            throws Exception {
        var capture = new Capture();
        var actor = shape.make(scope, builder, capture);
        actor.close();
        actor.waitForExit();
        return new Kept(name, actor, new WeakReference<>(capture));
    }

    private static void awaitLetGo(List<Kept> kept) {
        Garbage.isEachOf(kept.stream().collect(Collectors.toMap(Kept::shape, Kept::capture)));
        for (var one : kept) {
            assertThat(((Actor<?, ?>) one.handle).state()).as(one.shape).isEqualTo(ActorState.STOPPED);
        }
    }

    @Promise("13.4")
    @EveryStrategy
    void theHandleOfAStoppedActorKeepsNothingElseOfIt(Strategy strategy) throws Exception {
        var kept = new CopyOnWriteArrayList<Kept>();
        try (var scope = Scopes.on(strategy, event -> {
        }, new ManualTime())) {
            for (var shape : shapes().entrySet()) {
                kept.add(stopped(shape.getKey(), shape.getValue(), scope, scope.anonymous()));
            }
            awaitLetGo(kept); // while its scope goes on
        }
        for (var one : kept) {
            assertThat(one.handle.toString()).contains("STOPPED");
        }
    }

    @Promise("13.4")
    @EveryStrategy
    void norIfItsScopeHasStoppedIt(Strategy strategy) throws Exception {
        var kept = new CopyOnWriteArrayList<Kept>();
        var time = new ManualTime();
        var scope = Scopes.on(strategy, event -> {
        }, time);
        for (var shape : shapes().entrySet()) {
            var capture = new Capture();
            kept.add(new Kept(shape.getKey(), shape.getValue().make(scope, scope.anonymous(), capture),
                    new WeakReference<>(capture)));
            capture = null;
        }
        scope.close();
        awaitLetGo(kept);
    }

    private static Kept abandoning(CreationStrategy strategy, ActorScope scope) throws Exception {
        return stopped("abandonStuck on " + strategy,
                (same, builder, capture) -> used(builder.strategy(strategy)
                        .abandonStuck(Duration.ofHours(1), Duration.ofHours(1))
                        .<Integer>newActorFrom(context -> new Closing(capture)), 1),
                scope, scope.anonymous());
    }

    @Promise("13.4")
    @Test
    void norIfItsHandlersMayBeAbandoned() throws Exception {
        var pool = CreationStrategy.pool(2);
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            awaitLetGo(List.of(abandoning(CreationStrategy.fibers(), scope),
                    abandoning(CreationStrategy.threads(), scope), abandoning(pool, scope)));
        }
    }

    private static WeakReference<Capture> keepsContexts(ActorScope scope, List<Object> contexts)
            throws Exception {
        var capture = new Capture();
        var plain =
                used(scope.anonymous().<Integer>newActor((ActorContext<Integer, Void> context, Integer n) -> {
                    capture.use();
                    contexts.add(context);
                    contexts.add(context.timers());
                }), 1);
        var receiving = scope.anonymous()
                .<Integer>newReceivingActor((ReceivingContext<Integer> context, Integer n) -> {
                    capture.use();
                    contexts.add(context);
                });
        used(receiving, 1);
        plain.close();
        receiving.close();
        return new WeakReference<>(capture);
    }

    @Promise("13.4")
    @EveryStrategy
    void norDoesAContextThatIsKept(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var contexts = new CopyOnWriteArrayList<Object>();
            var capture = keepsContexts(scope, contexts);
            Garbage.is(capture);
            assertThat(contexts).hasSize(3);
        }
    }

    @Promise("13.4")
    @EveryStrategy
    void untilAllOfItHasEndedTheHandlerIsThere(Strategy strategy) throws Exception {
        var seen = new CopyOnWriteArrayList<String>();
        var ended = new CountDownLatch(1);
        try (var scope = Scopes.on(strategy, event -> {
            if (event instanceof Stopped) {
                seen.add("told");
                ended.countDown();
            }
        })) {
            var actor =
                    scope.anonymous().onExit(() -> seen.add("hook")).state(() -> (AutoCloseable) () -> seen
                            .add("state")).newActor((AutoCloseable state, Integer n) -> seen.add("message"));
            actor.sendMessage(1);
            actor.close();
            Waits.on(ended);
            assertThat(seen).containsExactly("message", "hook", "state", "told");
            assertThat(actor.sendMessage(2)).isFalse();
            assertThat(actor.counters().refused()).isEqualTo(1);
        }
    }
}
