package io.fibry.web;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import java.util.Optional;

/** What readers of the document take for granted: programs of their own. */
public final class WebGiven {
    public static final Users users = new Users();
    public static final Games games = new Games();

    private WebGiven() {
    }

    public static final class Main {
        private Main() {
        }
    }

    public static final class Users {
        public Optional<String> byToken(String token) {
            return Optional.of(token).filter(given -> !given.isEmpty());
        }
    }

    public static final class Games {
        public Actor<String, Void> of(String user) {
            return ActorSystem.anonymous().newActor((String move) -> {
            });
        }
    }
}
