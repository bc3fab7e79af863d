package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorName;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import io.fibry.Stereotypes;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.function.Handler;
import io.fibry.function.ReceivingHandler;
import io.fibry.function.ReplyHandler;
import io.fibry.function.StateHandler;
import io.fibry.function.StateReplyHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Where null means nothing, it is refused at once, and the exception names the parameter. */
class NullArgumentsTest {
    private static DynamicTest refuses(String what, String parameter, ThrowingCallable call) {
        return dynamicTest(what + " refuses null as " + parameter, () -> assertThatThrownBy(call)
                .isInstanceOf(NullPointerException.class).hasMessageContaining(parameter));
    }

    @TestFactory
    Stream<DynamicTest> actors() {
        var actor = ActorSystem.anonymous().newActorWithReturn((Integer n) -> n);
        return Stream.of(refuses("sendMessage", "message", () -> actor.sendMessage(null)),
                refuses("accept", "message", () -> actor.accept(null)),
                refuses("sendMessageReturn", "message", () -> actor.sendMessageReturn(null)),
                refuses("ask", "message", () -> actor.ask(null)),
                refuses("ask", "timeout", () -> actor.ask(1, null)),
                refuses("ask", "message",
                        () -> actor.ask(null, Duration.ofSeconds(1))),
                refuses("sendMessageReturnWait", "message", () -> actor.sendMessageReturnWait(null)),
                refuses("apply", "message", () -> actor.apply(null)),
                refuses("execute", "code", () -> actor.execute(null)),
                refuses("execAsync", "code", () -> actor.execAsync(null)),
                refuses("execAndWait", "code", () -> actor.execAndWait(null)),
                refuses("execFuture", "code", () -> actor.execFuture(null)),
                refuses("stop", "deadline", () -> actor.stop(null)),
                refuses("waitForExit", "timeout", () -> actor.waitForExit(null)),
                refuses("closeOnExit", "resource", () -> actor.closeOnExit(null)));
    }

    @TestFactory
    Stream<DynamicTest> builders() {
        var builder = ActorSystem.anonymous();
        var state = builder.state(() -> 1);
        return Stream.of(refuses("strategy", "strategy", () -> builder.strategy(null)),
                refuses("mailbox", "policy", () -> builder.mailbox(null)),
                refuses("onFailure", "policy", () -> builder.onFailure(null)),
                refuses("onExit", "hook", () -> builder.onExit(null)),
                refuses("state", "initial", () -> builder.state(null)),
                refuses("of", "messages", () -> builder.of(null)),
                refuses("of", "messages", () -> state.of(null)),
                refuses("newActor", "handler", () -> builder.newActor((Handler<Object>) null)),
                refuses("newActor", "handler", () -> builder.newActor((ContextHandler<Object>) null)),
                refuses("newActorWithReturn", "handler",
                        () -> builder.newActorWithReturn((ReplyHandler<Object, Object>) null)),
                refuses("newActorWithReturn", "handler",
                        () -> builder.newActorWithReturn((ContextReplyHandler<Object, Object>) null)),
                refuses("newReceivingActor", "handler",
                        () -> builder.newReceivingActor((ReceivingHandler<Object>) null)),
                refuses("newReceivingActor", "body",
                        () -> builder.newReceivingActor((Handler<ReceivingContext<Object>>) null)),
                refuses("newActor", "handler", () -> state.newActor((StateHandler<Integer, Object>) null)),
                refuses("newActorWithReturn", "handler",
                        () -> state.newActorWithReturn((StateReplyHandler<Integer, Object, Object>) null)));
    }

    @TestFactory
    Stream<DynamicTest> scopes() {
        var settings = ActorSystem.configure("test");
        return Stream.of(refuses("ActorSystem.open", "name", () -> ActorSystem.open(null)),
                refuses("ActorSystem.configure", "name", () -> ActorSystem.configure((String) null)),
                refuses("ActorSystem.named", "name", () -> ActorSystem.named(null)),
                refuses("ActorSystem.find", "name", () -> ActorSystem.find(null)),
                refuses("sendOrKeep", "name", () -> ActorSystem.root().sendOrKeep(null, 1, 0)),
                refuses("sendOrKeep", "message",
                        () -> ActorSystem.root().sendOrKeep(ActorName.of("x"), null, 0)),
                refuses("listen", "listener", () -> ActorSystem.root().listen(null)),
                refuses("setDefaultStrategy", "strategy", () -> ActorSystem.setDefaultStrategy(null)),
                refuses("strategy", "strategy", () -> settings.strategy(null)),
                refuses("mailbox", "policy", () -> settings.mailbox(null)),
                refuses("onFailure", "policy", () -> settings.onFailure(null)),
                refuses("listener", "listener", () -> settings.listener(null)),
                refuses("time", "time", () -> settings.time(null)),
                refuses("closeTimeout", "timeout", () -> settings.closeTimeout(null)),
                refuses("stop", "deadline", () -> {
                    try (var scope = settings.open()) {
                        scope.stop(null);
                    }
                }), refuses("child", "name", () -> {
                    try (var scope = settings.open()) {
                        scope.child(null);
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> policiesAndStereotypes() {
        var stereotypes = Stereotypes.def();
        return Stream.of(refuses("of", "executor", () -> CreationStrategy.of(null)),
                refuses("bounded", "overflow", () -> MailboxPolicy.bounded(1, null)),
                refuses("block", "timeout", () -> OverflowPolicy.block(null)),
                refuses("on", "strategy", () -> Stereotypes.on(null)),
                refuses("with", "builder", () -> Stereotypes.with(null)),
                refuses("runOnce", "body", () -> stereotypes.runOnce(null)),
                refuses("runOnceSilent", "body", () -> stereotypes.runOnceSilent(null)),
                refuses("workers", "worker", () -> stereotypes.workers(null)),
                refuses("workersWithReturn", "worker", () -> stereotypes.workersWithReturn(null)));
    }

    /** What timers and receives refuse, asked inside the actor. */
    private static void inside(Handler<ActorContext<Integer, Void>> check) throws Exception {
        try (var scope = ActorSystem.configure("test").onFailure(FailurePolicy.resume()).open()) {
            var outcome = new CompletableFuture<Void>();
            scope.anonymous().<Integer>newActor((context, n) -> {
                try {
                    check.handle(context);
                    outcome.complete(null);
                } catch (Throwable failure) {
                    outcome.completeExceptionally(failure);
                }
            }).sendMessage(1);
            outcome.get();
        }
    }

    private static void named(String parameter, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessageContaining(parameter);
    }

    @Test
    void timersRefuseNull() throws Exception {
        inside(context -> {
            var timers = context.timers();
            named("key", () -> timers.once(null, Duration.ZERO, 1));
            named("delay", () -> timers.once("key", null, 1));
            named("message", () -> timers.once("key", Duration.ZERO, null));
            named("key", () -> timers.fixedDelay(null, Duration.ofSeconds(1), 1));
            named("delay", () -> timers.fixedDelay("key", null, 1));
            named("message", () -> timers.fixedDelay("key", Duration.ofSeconds(1), null));
            named("key", () -> timers.cancel(null));
            named("key", () -> timers.isSet(null));
        });
    }

    @Test
    void receivesRefuseNull() throws Exception {
        try (var scope = ActorSystem.open("test")) {
            Actor<Integer, Void> actor = scope.anonymous().newReceivingActor((context, n) -> {
                named("wanted", () -> context.receive((Predicate<Integer>) null));
                named("wanted", () -> context.receive((Predicate<Integer>) null, Duration.ZERO));
                named("timeout", () -> context.receive(m -> true, null));
                named("type", () -> context.receive((Class<Integer>) null));
                named("type", () -> context.receive((Class<Integer>) null, Duration.ZERO));
                named("timeout", () -> context.receive((Duration) null));
            });
            actor.sendMessageReturn(1).get();
        }
    }

    @Test
    void aStrategyThatGivesNoExecutorMakesNoActor() {
        CreationStrategy none = actor -> null;
        try (var scope = ActorSystem.open("test")) {
            assertThatThrownBy(() -> scope.named("tom").strategy(none).newActor((Integer n) -> {
            })).isInstanceOf(NullPointerException.class).hasMessageContaining("'tom'");
        }
    }
}
