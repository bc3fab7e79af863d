package io.fibry.web;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.net.HttpJson;
import io.fibry.net.HttpRoutes;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** What readers of the document take for granted: programs of their own. */
public final class WebGiven {
    public static final Users users = new Users();
    public static final Games games = new Games();

    public static final Shop shop = new Shop();

    public static final HttpJson json = Json.TEST;
    public static final HttpRoutes routes = HttpRoutes.none();
    public static final Path folder = Path.of("photos");

    private WebGiven() {
    }

    public static SSLContext serverKeysAndTrustedClients() {
        throw new UnsupportedOperationException("those of the program");
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

    public static final class Shop {
        public String list(List<String> tags) {
            return tags.toString();
        }

        public String find(String id) {
            return id;
        }

        public int add(String user, String item) {
            return user.length() + item.length();
        }
    }
}
