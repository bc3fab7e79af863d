package io.fibry.internal.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ContextCarrier;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.scope.Builder;
import io.fibry.testing.Promise;
import org.junit.jupiter.api.Test;

class CarriersTest {
    private static boolean hasNothingButAMessage(ActorScope scope) {
        return MessageNode.to(((Builder) scope.anonymous()).spec(), "a message").isBare();
    }

    @Promise("23.5")
    @Test
    void whereNothingIsCarriedAMessageIsNoOther() {
        try (var scope = ActorSystem.open("plain");
                var carrying = scope.child("carrying").carry(ContextCarrier.mdc()).open();
                var beside = scope.child("beside").open()) {
            assertThat(hasNothingButAMessage(scope)).isTrue();
            assertThat(hasNothingButAMessage(carrying)).isFalse();
            assertThat(hasNothingButAMessage(beside)).isTrue();
        }
    }
}
