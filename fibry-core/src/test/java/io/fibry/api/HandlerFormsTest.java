package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlerFormsTest {
    private final ActorScope scope = ActorSystem.configure("test").listener(event -> {
    }).open();
    private final List<String> got = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        scope.close();
    }

    /** Messages as a closed set. */
    private sealed interface Command {
        /** Adds. */
        record Add(int n) implements Command {
        }

        /** Asks. */
        record Get(CompletableFuture<Integer> answer) implements Command {
        }
    }

    private void take(String message) {
        got.add(message);
    }

    private int length(String message) throws IOException {
        if (message.isEmpty()) {
            throw new IOException("empty");
        }
        return message.length();
    }

    private void end(Actor<?, ?> actor, String... expected) {
        actor.close();
        assertThat(got).containsExactly(expected);
        got.clear();
    }

    @Test
    void typedLambdasNeedNoTypeArguments() throws Exception {
        var plain = scope.anonymous().newActor((String message) -> take(message));
        plain.sendMessage("lambda");
        end(plain, "lambda");
        var withContext = scope.anonymous().newActor((io.fibry.ActorContext<String, Void> context,
                String message) -> take(message + context.self().name().length()));
        withContext.sendMessage("context");
        withContext.close();
        assertThat(got).hasSize(1);
        var squares = scope.anonymous().newActorWithReturn((Integer n) -> n * n);
        assertThat(squares.apply(7)).isEqualTo(49);
    }

    @Test
    void lambdasMayThrowCheckedExceptions() throws Exception {
        var actor = scope.anonymous().newActor((String message) -> {
            length(message);
            Thread.sleep(0);
            take(message);
        });
        actor.sendMessage("");
        actor.sendMessage("checked");
        end(actor, "checked");
        var asked = scope.anonymous().newActorWithReturn((String message) -> length(message));
        assertThat(Waits.failure(asked.sendMessageReturn(""))).isInstanceOf(IOException.class);
    }

    @Test
    void methodReferencesFit() throws Exception {
        Actor<String, Void> actor = scope.anonymous().newActor(this::take);
        actor.sendMessage("reference");
        end(actor, "reference");
        Actor<String, Integer> lengths = scope.anonymous().newActorWithReturn(this::length);
        assertThat(lengths.apply("four")).isEqualTo(4);
        Actor<String, Integer> bound = scope.anonymous().newActorWithReturn(String::length);
        assertThat(bound.apply("four")).isEqualTo(4);
    }

    @Test
    void objectsOfEveryHandlerTypeFit() {
        Consumer<Object> consumer = message -> take("consumer of " + message);
        Actor<String, Void> consuming = scope.anonymous().newActor(consumer::accept);
        consuming.sendMessage("1");
        end(consuming, "consumer of 1");
        Handler<String> handler = message -> take("handler of " + message);
        var handling = scope.anonymous().newActor(handler);
        handling.sendMessage("2");
        end(handling, "handler of 2");
        Function<Object, Integer> function = Object::hashCode;
        Actor<String, Number> applying = scope.anonymous().newActorWithReturn(function::apply);
        assertThat(applying.apply("a")).isEqualTo("a".hashCode());
        ReplyHandler<String, Integer> reply = String::length;
        assertThat(scope.anonymous().newActorWithReturn(reply).apply("four")).isEqualTo(4);
        assertThat(scope.anonymous().<String, Integer>newActorWithReturn(
                (context, message) -> message.length()).apply("four")).isEqualTo(4);
    }

    @Test
    void aSealedTypeCanBeSwitchedOver() throws Exception {
        var sum = new int[1];
        Actor<Command, Void> actor = scope.anonymous().newActor(command -> {
            switch (command) {
                case Command.Add add -> sum[0] += add.n();
                case Command.Get get -> get.answer().complete(sum[0]);
            }
        });
        actor.sendMessage(new Command.Add(3));
        actor.sendMessage(new Command.Add(4));
        var answer = new CompletableFuture<Integer>();
        actor.sendMessage(new Command.Get(answer));
        assertThat(Waits.on(answer)).isEqualTo(7);
    }

    @Test
    void alsoWithAnAnswer() {
        var sum = new int[1];
        Actor<Command, Integer> actor = scope.anonymous().newActorWithReturn(command -> switch (command) {
            case Command.Add add -> sum[0] += add.n();
            case Command.Get ignored -> sum[0];
        });
        actor.sendMessage(new Command.Add(3));
        assertThat(actor.apply(new Command.Get(new CompletableFuture<>()))).isEqualTo(3);
        var typed = scope.anonymous().newActorWithReturn((Command command) -> switch (command) {
            case Command.Add add -> add.n();
            case Command.Get ignored -> 0;
        });
        assertThat(typed.apply(new Command.Add(9))).isEqualTo(9);
    }
}
