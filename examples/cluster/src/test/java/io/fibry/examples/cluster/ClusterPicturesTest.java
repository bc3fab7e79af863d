package io.fibry.examples.cluster;

import io.fibry.browser.Browser;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Makes the pictures of the README that show this example, in the folder that {@code fibry.pictures} names. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@EnabledIfSystemProperty(named = "fibry.pictures", matches = ".+")
class ClusterPicturesTest {
    @TempDir
    private Path folder;

    @Test
    void aClusterThatHasLostANodeAndGotItBack() throws Exception {
        var pictures = Path.of(System.getProperty("fibry.pictures"));
        var browser = Browser.start()
                .orElseThrow(() -> new IllegalStateException("no chromium or chrome is on the PATH"));
        try (browser; var nodes = new BankProcesses(folder)) {
            for (int i = 0; i < 3; i++) {
                nodes.start();
            }
            var tab = browser.blank();
            tab.size(1280, 842, 1); // the last row is whole
            tab.prefer("prefers-color-scheme", "light");
            tab.go(nodes.page("a"));
            tab.until("document.readyState", "complete");
            tab.until("last?.serves && last.nodes.every(node => node.isHere)", "true");
            tab.see("post('/say?who=Ann', 'Hello from the page of node a')");
            tab.see("document.querySelector('#turn').click()");
            tab.until("rates.length > 60", "true");
            tab.see("document.querySelector('[data-node=b] .kill').click()");
            var unused = nodes.awaitEnd("b");
            tab.until("last.nodes[1].isHere", "false");
            tab.see("post('/say?who=Bob', 'I was on node b, which is gone, and read on')");
            nodes.start();
            tab.until("last.nodes[1].isHere && last.groups.every(group => !group.homes.includes('.'))",
                    "true");
            tab.until("rates.length >= 150", "true");
            for (var colours : List.of("light", "dark")) {
                tab.prefer("prefers-color-scheme", colours);
                tab.see("new Promise(drawn => setTimeout(() => drawn(1), 1000))");
                tab.picture(pictures.resolve(colours.equals("light") ? "cluster.png" : "cluster-dark.png"));
            }
        }
    }
}
