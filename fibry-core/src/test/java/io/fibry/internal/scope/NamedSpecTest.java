package io.fibry.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorSystem;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Actors that differ in their names share their specification, which takes more memory than the actor. */
class NamedSpecTest {
    enum Kind {
        PLAIN(builder -> builder.newActor((String message) -> {
        })), ANSWERING(builder -> builder.newActorWithReturn((String message) -> message)), RECEIVING(
                builder -> builder.newReceivingActor((context, message) -> {
                }));

        final Function<ActorBuilder, Actor<String, ?>> maker;

        Kind(Function<ActorBuilder, Actor<String, ?>> maker) {
            this.maker = maker;
        }
    }

    private static ActorSpec specOf(Actor<?, ?> actor) {
        return ((Cell) actor).spec();
    }

    @ParameterizedTest
    @EnumSource
    void actorsOfOneKindShareIt(Kind kind) {
        try (var scope = ActorSystem.open("named")) {
            var tom = kind.maker.apply(scope.named("tom"));
            var ann = kind.maker.apply(scope.named("ann"));
            var nobody = kind.maker.apply(scope.anonymous());
            assertThat(specOf(tom)).isSameAs(specOf(ann)).isSameAs(specOf(nobody));
            assertThat(tom.name()).isEqualTo("tom");
            assertThat(ann.name()).isEqualTo("ann");
        }
    }
}
