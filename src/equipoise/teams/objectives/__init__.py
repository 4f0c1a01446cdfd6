"""The objectives by name, a file each; :data:`equipoise.registry.OBJECTIVES` lists them."""
